import { printable } from "../printable.ts";
import type { Terminal } from "../terminal.ts";

/** Rows below their headings, each column as wide as it must be. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  colors: Terminal["colors"],
): string[] {
  const shown = rows.map((row) => row.map((cell) => printable(cell, 60)));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...shown.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [colors.dim(line(headings)), ...shown.map(line)];
}
