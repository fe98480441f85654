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

/** Prints a row of a table: what, how much, and how it stands to its goal. */
export function printRow(what: string, value: string, ratio = "", goal = ""): void {
  console.log(`${what.padEnd(52)} ${value.padStart(14)} ${ratio.padStart(8)}  ${goal}`);
}
