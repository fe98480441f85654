export { Signals } from "./signals.ts";
export { Bell } from "./wake-up.ts";
