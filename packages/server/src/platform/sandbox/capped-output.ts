import { Transform } from "node:stream";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { withoutHalf } from "../one-line.ts";

/** How much a run may write, both streams together. */
export interface OutputBudget {
  readonly limitBytes: number;
  readonly bytesPerSecond: number | undefined;
  readonly onLimit: "kill" | "drop";
  /** When the bytes that were read are paid for, at so many a second. */
  paidUntilMs: number;
  usedBytes: number;
  lastAtMs: number;
  /** Chunks that wait for their turn; those of the other stream stay behind them. */
  waiting: Promise<void> | undefined;
  readonly onOver: () => void;
}

/** What a program writes at once may come this much too early. */
const maxDebtMs = 1_000;
/** Whoever masks and stores this much takes a few milliseconds. */
const sliceBytes = 8 * 1024;

/**
 * Passes on what the budget allows and drops the rest; a slow reader slows down the program. What programs write at
 * once comes in slices, one a turn of the event loop, so that requests are answered in between.
 */
export function cappedOutput(budget: OutputBudget): Transform {
  let isNoted = false;
  const pass = async (to: Transform, bytes: Buffer) => {
    await budget.waiting;
    await payFor(budget, bytes.length);
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      if (bytes.length > sliceBytes) await myTurn();
      to.push(bytes.subarray(at, at + sliceBytes));
    }
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const room = Math.max(0, budget.limitBytes - budget.usedBytes);
      budget.usedBytes += chunk.length;
      budget.lastAtMs = performance.now();
      const isShort = chunk.length <= Math.min(room, sliceBytes);
      if (isShort && budget.waiting === undefined && budget.bytesPerSecond === undefined) return done(null, chunk);
      const isWhole = chunk.length <= room;
      const passed = pass(this, isWhole ? chunk : withoutHalf(chunk.subarray(0, room)));
      budget.waiting = passed;
      void passed.then(() => {
        if (budget.waiting === passed) budget.waiting = undefined;
        if (isWhole) return done();
        // The mark of a cut, by which masking knows that a secret may begin before it.
        if (budget.onLimit === "drop" && !isNoted)
          this.push(`…\n[output beyond ${budget.limitBytes} bytes was dropped]\n`);
        isNoted = true;
        budget.onOver();
        done();
      }, done);
    },
  });
}

/** Waits until the bytes are within what may be read a second. */
async function payFor(budget: OutputBudget, bytes: number): Promise<void> {
  if (budget.bytesPerSecond === undefined) return;
  const now = performance.now();
  budget.paidUntilMs = Math.max(now, budget.paidUntilMs) + (1_000 * bytes) / budget.bytesPerSecond;
  const debtMs = budget.paidUntilMs - now;
  if (debtMs > maxDebtMs) await delay(debtMs - maxDebtMs);
}

let lastTurn: Promise<void> = Promise.resolve();

/** Turns of all programs come one after another: ten that write at once hold up the event loop no longer than one. */
function myTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}
