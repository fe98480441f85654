export { groupKiller } from "./group-killer.ts";
export { hasPythonModule, systemPath } from "./has-python-module.ts";
export { isOnPath } from "./is-on-path.ts";
export { maxOpenFiles } from "./max-open-files.ts";
export { processExists } from "./process-exists.ts";
export { isRunning, thisProcess } from "./process-start.ts";
export { spawnProgram } from "./spawn-program.ts";
export { startingIn } from "./starting-in.ts";
export { threadEnvironment } from "./thread-environment.ts";
