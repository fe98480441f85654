/** Steps a second. The ball's own speed is in the rules. */
export const stepsPerSecond = 60;

/** How long a step takes: always the same here. */
export function stepMs() {
  return 1000 / stepsPerSecond;
}
