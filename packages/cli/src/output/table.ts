import { displayWidth } from "./display-width.ts";
import { printable } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

/** Rows below their headings, in aligned columns. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  colors: Terminal["colors"],
): string[] {
  const cells = rows.map((row) => row.map((cell) => printable(cell, 60)));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => displayWidth(row[column] ?? ""))),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cell))))
      .join("  ")
      .trimEnd();
  return [colors.dim(line(headings)), ...cells.map(line)];
}

/** Names and their values, one pair a line; a name without a value is left out. */
export function fields(values: Readonly<Record<string, string | undefined>>): string[] {
  const present = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const width = Math.max(...present.map(([name]) => name.length));
  return present.map(([name, value]) => `${`${name}:`.padEnd(width + 2)}${printable(value, 500)}`);
}
