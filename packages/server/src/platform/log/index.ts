export { takeConsole } from "./console.ts";
export { ControlScanner, ControlStripper, isBreak, isPrintable } from "./control-sequences.ts";
export { createLog, type Log, levelName } from "./log.ts";
export { isLogged } from "./log-level.ts";
export { LogTail } from "./log-tail.ts";
export { outliveOutput } from "./outlive-output.ts";
export type { OutputLog } from "./output-log.ts";
