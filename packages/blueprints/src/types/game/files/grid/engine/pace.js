import { speedOf } from "./measures.js";

/** How long the current step takes. */
export function stepMs(rules, state) {
  return 1000 / speedOf(rules, state);
}
