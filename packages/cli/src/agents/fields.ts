import { printable } from "../printable.ts";

/** Names and values below each other; those without a value are left out. */
export function fields(values: Readonly<Record<string, string | undefined>>): string[] {
  const shown = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${`${name}:`.padEnd(width + 2)}${printable(value, 500)}`);
}
