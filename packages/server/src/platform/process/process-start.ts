import { readFileSync } from "node:fs";
import { processExists } from "./process-exists.ts";

/** A process, told from later ones with the same id by when it started; 0 where the system does not say. */
export interface KnownProcess {
  readonly pid: number;
  readonly startedAt: number;
}

export function thisProcess(): KnownProcess {
  return { pid: process.pid, startedAt: readProcess("self").startedAt };
}

/** Whether it still runs. One that has ended does not, even before its parent has collected it. */
export function isRunning({ pid, startedAt }: KnownProcess): boolean {
  if (!processExists(pid)) return false;
  const found = readProcess(String(pid));
  return found.startedAt === startedAt && !found.isDead;
}

function readProcess(pid: string): { readonly startedAt: number; readonly isDead: boolean } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program name stands in brackets and may itself contain brackets.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ", 20);
    return { startedAt: Number(fields[19]), isDead: fields[0] === "Z" || fields[0] === "X" };
  } catch {
    return { startedAt: 0, isDead: false };
  }
}
