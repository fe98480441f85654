export { PollLoop } from "./poll-loop.ts";
export { Signals } from "./signals.ts";
export { WakeUp } from "./wake-up.ts";
