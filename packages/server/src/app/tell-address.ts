import { chmod, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Log } from "../platform/log/index.ts";

/** In the data folder, where only its owner can make files: who answers there is the service, not a stranger at its port. */
const socketName = "service.sock";

/**
 * Tells commands on this machine the address of the service, so that they need not start one to find out. Call it with the
 * folder locked. Where it cannot be told, commands find out as before. Returns how to end it.
 */
export async function tellAddress(dataFolder: string, address: string, log: Log): Promise<() => Promise<void>> {
  const path = join(dataFolder, socketName);
  const server = createServer((socket) => socket.on("error", () => undefined).end(`${address}\n`));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  try {
    // A service that was killed leaves it behind.
    await rm(path, { force: true });
    server.once("error", reject).listen(path, resolve);
    await promise;
    await chmod(path, 0o600);
  } catch (error) {
    // A path may be too long for a socket, and not every file system has sockets.
    log.debug({ err: error }, "commands are not told the address");
  }
  server.on("error", () => undefined).unref();
  return () => new Promise((closed) => void server.close(() => closed()));
}
