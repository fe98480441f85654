export { builtInPlugin, findOutcomeType } from "./built-in.ts";
export { checkPlugin } from "./check-plugin.ts";
export { scriptsFile } from "./kit/common-files.ts";
export { compilePattern, Unmatchable } from "./kit/regular-expression.ts";
export type {
  ArtifactType,
  BuildTask,
  BuildWorkspace,
  CheckVerdict,
  OutcomePlan,
  OutcomeType,
  Plugin,
  Scripts,
  Unmet,
} from "./plugin.ts";
