const tilesLostByShrinking = 3;

/** Whether an effect works now. */
export function isActive({ effects, tick }, effect) {
  return (effects[effect] ?? 0) > tick;
}

/** The kinds of which one appears when the count of things taken goes from one number to another. */
export function dueKinds({ powerUps }, before, after) {
  return [...powerUps.keys()].filter((kind) => {
    const { every } = powerUps[kind];
    return Math.floor(after / every) > Math.floor(before / every);
  });
}

/** The state after a power-up of this kind was taken. */
export function takePowerUp({ powerUps }, state, kind) {
  const { effect, lastsSteps } = powerUps[kind];
  if (effect === "extra_life") return { ...state, lives: state.lives + 1 };
  if (effect === "shrink") {
    return { ...state, body: state.body.slice(0, Math.max(1, state.body.length - tilesLostByShrinking)) };
  }
  return { ...state, effects: { ...state.effects, [effect]: state.tick + lastsSteps } };
}
