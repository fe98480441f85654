import { setFlagsFromString } from "node:v8";

let users = 0;

/**
 * Keeps the part of the heap for new objects at its present size while a zip is written; call the result when it is done.
 * V8 doubles it, up to 64 MB, for whoever makes many objects that live for a moment, and gives it back only when idle.
 * `benchmarks/artifacts.ts zip` measures what that saves. V8 reads the flag at each garbage collection.
 */
export function holdYoungHeap(): () => void {
  users += 1;
  if (users === 1) setFlagsFromString("--semi-space-growth-factor=1");
  return () => {
    users -= 1;
    if (users === 0) setFlagsFromString("--semi-space-growth-factor=2");
  };
}
