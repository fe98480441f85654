import { isActive } from "./power-ups.js";

/** How fast a level goes by now, in steps a second: faster with each thing taken, up to a limit. */
export function speedOf({ speed }, state) {
  const grown = Math.min(speed.max, speed.start + speed.growth * state.count);
  return isActive(state, "slow") ? grown / 2 : grown;
}

/** The points so far; whoever has won the game gets more for lives and steps that are left. */
export function scoreOf({ scoring, goal }, { status, points, lives, tick }) {
  if (status !== "won") return points;
  const stepsLeft = goal.maxSteps === null ? 0 : goal.maxSteps - tick;
  return points + scoring.perLifeLeft * lives + scoring.perStepLeft * stepsLeft;
}

/** The points of a thing: twice as many while points are doubled. */
export function worth(points, state) {
  return isActive(state, "double_points") ? points * 2 : points;
}
