/** Tells in which loop of the event loop somebody asks. */
export function countLoops(): { readonly now: () => number; readonly stop: () => void } {
  let loop = 0;
  let isOver = false;
  const next = () => {
    loop += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  const stop = () => {
    isOver = true;
  };
  return { now: () => loop, stop };
}
