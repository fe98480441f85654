import { checkAcceptance } from "./acceptance.ts";
import { checkEnvironments } from "./environments.ts";
import { checkOutcomeTypes } from "./outcome-types.ts";
import { checkPhases } from "./phases.ts";
import type { Rule } from "./rule.ts";
import { checkServices } from "./services.ts";
import { checkTasks } from "./tasks.ts";
import { checkTemplates } from "./templates.ts";
import { checkVersion } from "./version.ts";

/** Everything that is checked between values, beyond each value by itself. */
export const rules: readonly Rule[] = [
  checkVersion,
  checkOutcomeTypes,
  checkPhases,
  checkTasks,
  checkServices,
  checkEnvironments,
  checkAcceptance,
  checkTemplates,
];
