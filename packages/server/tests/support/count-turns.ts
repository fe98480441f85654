/** Counts the turns that others have from now on; the function that it returns says how many there were, and ends it. */
export function countTurns(): () => number {
  let turns = 0;
  let next = setImmediate(count);
  function count() {
    turns += 1;
    next = setImmediate(count);
  }
  return () => {
    clearImmediate(next);
    return turns;
  };
}
