import type { Stats } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  ContainerStarter,
  endSupervisors,
  Supervisor,
  SupervisorSocket,
  supervisorSocketName,
  sweepLeftContainers,
} from "../../deployment/index.ts";
import { outliveOutput } from "../../platform/log/index.ts";
import { createSandbox, type SandboxMode } from "../../platform/sandbox/index.ts";
import { appsPart } from "../apps-part.ts";

const watchMs = 2_000;
/** How long it waits for something to keep alive. */
const maxIdleMs = 30_000;

/**
 * Keeps the deployed software of a data folder alive, whether the service runs or not. It ends when it is told to, when
 * there is nothing to keep alive, and when the data folder is gone.
 */
export async function runSupervisor([dataFolder = "", mode = "auto"]: readonly string[]): Promise<void> {
  outliveOutput();
  const folder = await stat(dataFolder);
  await endSupervisors(dataFolder);
  const sandbox = await createSandbox({ mode: mode as SandboxMode, dataFolder, part: appsPart });
  // What the supervisor before this one has left would hold the ports.
  await sandbox.sweepOrphans();
  await sweepLeftContainers(dataFolder, "apps");
  const containers = new ContainerStarter({ sandbox, dataFolder, part: "apps" });
  const supervisor = new Supervisor({ sandbox, containers, onEvent: (event) => socket.tell(event) });
  const path = join(dataFolder, supervisorSocketName);
  const end = async (code: number) => {
    clearInterval(watch);
    await supervisor.close().catch(() => undefined);
    await socket.close();
    process.exit(code);
  };
  const socket = new SupervisorSocket(supervisor, () => void end(0));
  // A signal to the terminal's group is not for it.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  process.on("SIGTERM", () => void end(0));
  let idleSinceMs = performance.now();
  const watch = setInterval(async () => {
    if (!supervisor.isIdle) idleSinceMs = performance.now();
    const now = await statOf(dataFolder, folder);
    const isGone = now?.ino !== folder.ino || now.dev !== folder.dev || (await statOf(path, folder)) === undefined;
    if (isGone || performance.now() - idleSinceMs > maxIdleMs) {
      if (!isGone) await rm(path, { force: true });
      await end(0);
    }
  }, watchMs);
  await socket.listen(path);
  process.stdout.write("ready\n");
}

/** Undefined if nothing is there, and what it `was` if nobody can say: a disk that fails for a moment ends no software. */
function statOf(path: string, was: Stats): Promise<Stats | undefined> {
  return stat(path).catch(({ code }: NodeJS.ErrnoException) =>
    code === "ENOENT" || code === "ENOTDIR" ? undefined : was,
  );
}
