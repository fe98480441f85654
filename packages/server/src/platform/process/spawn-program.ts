import { type ChildProcess, spawn } from "node:child_process";

/**
 * Starts a program as `spawn` does, and throws where no file is left to open: Node then gives a child without streams, and
 * tells why in an event. Who takes the streams first fails before he listens to it, and an event of an error that nobody listens
 * to ends the process.
 */
export const spawnProgram = ((...args: Parameters<typeof spawn>) => {
  const child: Partial<ChildProcess> = spawn(...args);
  if (child.stdio !== undefined) return child;
  child.on?.("error", () => undefined);
  throw Object.assign(new Error(`spawn ${args[0]} EMFILE: too many open files`), { code: "EMFILE" });
}) as typeof spawn;
