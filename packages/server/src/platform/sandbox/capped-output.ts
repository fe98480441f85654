import { Transform } from "node:stream";

/** How much a run may write, both streams together. */
export interface OutputBudget {
  readonly limitBytes: number;
  readonly onLimit: "kill" | "drop";
  usedBytes: number;
  lastAtMs: number;
  readonly onOver: () => void;
}

/** Passes on what the budget allows and drops the rest; a slow reader slows down the program. */
export function cappedOutput(budget: OutputBudget): Transform {
  let isNoted = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const room = Math.max(0, budget.limitBytes - budget.usedBytes);
      budget.usedBytes += chunk.length;
      budget.lastAtMs = performance.now();
      if (chunk.length <= room) return done(null, chunk);
      if (room > 0) this.push(chunk.subarray(0, room));
      if (budget.onLimit === "drop" && !isNoted)
        this.push(`\n[output beyond ${budget.limitBytes} bytes was dropped]\n`);
      isNoted = true;
      budget.onOver();
      done();
    },
  });
}
