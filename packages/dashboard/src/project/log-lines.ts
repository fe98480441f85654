import type { LogPage } from "@slipway/contract";

export type LogLine = LogPage["lines"][number];

/** Names a line for a link: its time, and which of that time it is. */
export function lineName(lines: readonly LogLine[], index: number): string {
  const { at } = lines[index]!;
  let same = 0;
  while (lines[index - same - 1]?.at === at) same++;
  return `${at}~${same}`;
}

/** Finds a named line; undefined if it is not here. */
export function findLine(lines: readonly LogLine[], name: string): number | undefined {
  const [at = "", same = "0"] = name.split("~");
  const first = lines.findIndex((line) => line.at === at);
  const index = first + Number(same);
  return first === -1 || lines[index]?.at !== at ? undefined : index;
}
