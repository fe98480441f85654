export { builtInPlugin, findOutcomeType } from "./built-in.ts";
export { checkPlugin, functionMark, pluginApiVersion } from "./check-plugin.ts";
export { scriptsFile } from "./kit/common-files.ts";
export type { BuildTask, BuildWorkspace, OutcomePlan, OutcomeType, Plugin, Scripts, Unmet } from "./plugin.ts";
