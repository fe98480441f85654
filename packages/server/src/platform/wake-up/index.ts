export { Signals } from "./signals.ts";
export { WakeUp } from "./wake-up.ts";
