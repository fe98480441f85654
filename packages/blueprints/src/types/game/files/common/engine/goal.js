/** Whether a level is won, lost, or still played. */
export function statusOf({ goal }, state) {
  if (state.lives <= 0) return "lost";
  if (goal.wins.length > 0 && goal.wins.every((win) => isReached(win, state))) return "won";
  return goal.maxSteps !== null && state.tick >= goal.maxSteps ? "lost" : "playing";
}

function isReached(win, state) {
  if (win.collected !== undefined) return (state.collected[win.collected] ?? 0) >= win.count;
  if (win.score !== undefined) return state.points >= win.score;
  if (win.steps !== undefined) return state.tick >= win.steps;
  return state.body.length >= win.length;
}

/** How far each part of the goal is, in words. */
export function goalTexts({ goal }, state) {
  return goal.wins.map((win) => {
    if (win.collected !== undefined) return `${state.collected[win.collected] ?? 0}/${win.count} ${win.collected}`;
    if (win.score !== undefined) return `${state.points}/${win.score} points`;
    if (win.steps !== undefined) return `${state.tick}/${win.steps} steps`;
    return `${state.body.length}/${win.length} tiles long`;
  });
}
