/** A player who does nothing at all. */
export function idlePlayer() {
  return () => null;
}
