import { checkAcceptance } from "./acceptance.ts";
import { checkDeployments } from "./deployments.ts";
import { checkEnvironments } from "./environments.ts";
import { checkMergedEnvironments } from "./merged-environments.ts";
import { checkOutcomeTypes } from "./outcome-types.ts";
import { checkPhases } from "./phases.ts";
import { checkPlan } from "./plan.ts";
import { checkPlugins } from "./plugins.ts";
import type { Rule } from "./rule.ts";
import { checkServices } from "./services.ts";
import { checkTasks } from "./tasks.ts";
import { checkTemplates } from "./templates.ts";
import { checkUnusedKeys } from "./unused-keys.ts";
import { checkVersion } from "./version.ts";

/** The rules between values; the schema checks each value by itself. */
export const rules: readonly Rule[] = [
  checkVersion,
  checkPlugins,
  checkOutcomeTypes,
  checkPhases,
  checkTasks,
  checkServices,
  checkPlan,
  checkEnvironments,
  checkMergedEnvironments,
  checkAcceptance,
  checkDeployments,
  checkTemplates,
  checkUnusedKeys,
];
