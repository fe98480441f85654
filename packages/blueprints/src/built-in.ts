import type { OutcomeType, Plugin } from "./plugin.ts";

/** The outcome types that every installation can build. */
export const builtInPlugin: Plugin = {
  api_version: "v1",
  name: "@slipway/blueprints",
  version: "0.1.0",
  outcome_types: [],
};

export function findOutcomeType(name: string): OutcomeType | undefined {
  return builtInPlugin.outcome_types.find((type) => type.name === name);
}
