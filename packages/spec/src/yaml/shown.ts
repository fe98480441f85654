/** A name as a message quotes it: not longer than a line can bear. */
export function shown(name: string): string {
  return name.length > 60 ? `${name.slice(0, 59)}…` : name;
}
