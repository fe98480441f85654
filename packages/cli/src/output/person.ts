/** Asks whoever sits before the terminal. */
export { ask } from "./ask.ts";
export { askHidden } from "./ask-hidden.ts";
export { converse } from "./converse.ts";
