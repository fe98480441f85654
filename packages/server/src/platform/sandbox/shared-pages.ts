import { anonymousIn, residentIn } from "./process-memory.ts";
import type { Stat } from "./process-stat.ts";

/** A process has no page of its own without a fault. The largest pages of the systems of this kind. */
const pageBytes = process.arch === "arm64" ? 65_536 : 4_096;

/** What a process was found to share with others, and what it had by then. */
export interface Share {
  readonly process: Stat;
  readonly bytes: number;
  readonly anonymousBytes: number;
}

/** A process, and what the kernel tells of it now. */
export interface Told {
  readonly process: Stat;
  readonly status: string;
}

export const noShares: readonly Share[] = [];

/**
 * By how much the plain sum of what processes have is too high, as far as it can still be so since they were measured: who has
 * ended shares nothing any more, nor does anybody share more than it has. `surely` also leaves out what each of them may have
 * for itself by now, because it has written to it or taken other memory in its place.
 */
export function stillShared(
  shares: readonly Share[],
  now: readonly Told[],
): { readonly bytes: number; readonly surely: number } {
  const told = new Map(now.map((one) => [one.process.pid, one]));
  let [bytes, surely] = [0, 0];
  for (const share of shares) {
    const { process, status } = told.get(share.process.pid) ?? {};
    if (process?.startTicks !== share.process.startTicks || status === undefined) continue;
    const most = Math.min(share.bytes, residentIn(status));
    const written = pageBytes * (process.faults - share.process.faults);
    const taken = Math.max(0, anonymousIn(status) - share.anonymousBytes);
    bytes += most;
    surely += Math.max(0, most - written - taken);
  }
  return { bytes, surely };
}
