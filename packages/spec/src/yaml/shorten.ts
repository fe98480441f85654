/** Shortens a name for a message. */
export function shorten(name: string): string {
  return name.length > 60 ? `${name.slice(0, 59)}…` : name;
}
