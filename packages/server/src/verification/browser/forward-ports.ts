import { chmod, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { TemporaryFolders } from "../../platform/temporary-folders.ts";

const maxConnections = 200;

/** Sockets in a folder that lead to ports of this machine. */
export interface ForwardedPorts {
  readonly folder: string;
  close(): Promise<void>;
}

/**
 * Makes a socket for each port, named after it. A sandbox without a network that is shown the folder reaches these ports,
 * and nothing else of this machine.
 */
export async function forwardPorts(
  temporary: Pick<TemporaryFolders, "makeForSockets">,
  ports: readonly number[],
): Promise<ForwardedPorts> {
  const folder = await temporary.makeForSockets("ports");
  const servers: Server[] = [];
  const open = new Set<Socket>();
  const close = async () => {
    for (const socket of open) socket.destroy();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // Whoever is in the sandbox has another uid; others do not get past the folder's random name.
    await chmod(folder, 0o711);
    for (const port of ports) {
      const server = createServer((inner) => joinSockets(open, inner, connect(port, "127.0.0.1")));
      server.maxConnections = maxConnections;
      servers.push(server);
      const path = join(folder, String(port));
      await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
      await chmod(path, 0o666);
    }
    return { folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Until either side ends. */
function joinSockets(open: Set<Socket>, ...pair: readonly [Socket, Socket]): void {
  const [inner, outer] = pair;
  const end = () => {
    for (const socket of pair) {
      socket.destroy();
      open.delete(socket);
    }
  };
  for (const socket of pair) {
    open.add(socket);
    socket.on("error", end).on("close", end);
  }
  inner.pipe(outer).pipe(inner);
}
