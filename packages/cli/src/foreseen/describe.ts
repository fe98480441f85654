import type { Obstacle, UnmetRequest } from "@slipway/contract";
import { printable } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";

/** A list that is longer is cut. */
export const maxListed = 20;

const maxTextLength = 1_000;

/** What the built-in agent does not use or cannot build, a line each. */
export function unmetLines(unmet: readonly UnmetRequest[]): string[] {
  return unmet.map(
    ({ pointer, line, reason }) => `- ${place(line)}${printable(pointer)}: ${printable(reason, maxTextLength)}`,
  );
}

/** What stands in the way of a run, each with what mends it. */
export function obstacleLines(obstacles: readonly Obstacle[], colors: Terminal["colors"]): string[] {
  return obstacles.flatMap(({ line, message, remedy, is_blocking }) => [
    `${is_blocking ? colors.red("✘") : colors.yellow("!")} ${place(line)}${printable(message, maxTextLength)}`,
    `  ${colors.dim("=")} ${colors.cyan(printable(remedy, maxTextLength))}`,
  ]);
}

function place(line: number | null): string {
  return line === null ? "" : `line ${line}: `;
}
