import { accessSync, appendFileSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The suite runs each benchmark with the smallest load, to see that it still runs; the numbers mean nothing then. */
export const isSmoke = process.env["SLIPWAY_BENCH"] === "smoke";

/** How much to measure: all of it, or as little as shows that it runs. */
export function sized<T>(full: T, smallest: T): T {
  return isSmoke ? smallest : full;
}

/** What to say instead of a number if a program is not installed. */
export function whyMissing(program: string): string | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return undefined;
    } catch {
      // Perhaps in the next folder.
    }
  }
  return `not measured: ${program} is not installed (apt-get install ${program})`;
}

/** Runs contestants in turns, so that a noisy machine disturbs all of them alike, and answers the median time of each. */
export function measureInTurns<Name extends string>(
  contestants: Readonly<Record<Name, () => unknown>>,
  { rounds, warmUps }: { rounds: number; warmUps: number },
): Record<Name, number> {
  const names = Object.keys(contestants) as Name[];
  const timesMs = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const name of names) {
      const start = performance.now();
      contestants[name]();
      if (round >= 0) timesMs[name].push(performance.now() - start);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(timesMs[name])])) as Record<Name, number>;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Prints a row of a table: what, how much, and how it stands to its goal. `npm run bench:all` collects the rows. */
export function printRow(what: string, value: string, ratio = "", goal = ""): void {
  const file = process.env["SLIPWAY_BENCH_ROWS"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ what, value, ratio, goal })}\n`);
  console.log(`${what.padEnd(52)} ${value.padStart(14)} ${ratio.padStart(8)}  ${goal}`);
}
