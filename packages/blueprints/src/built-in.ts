import type { OutcomeType, Plugin } from "./plugin.ts";
import { api } from "./types/api/index.ts";
import { cli } from "./types/cli/index.ts";
import { desktopApp } from "./types/desktop-app/index.ts";
import { documentation } from "./types/documentation/index.ts";
import { game } from "./types/game/index.ts";
import { infrastructure } from "./types/infrastructure/index.ts";
import { library } from "./types/library/index.ts";
import { mlPipeline } from "./types/ml-pipeline/index.ts";
import { mobileApp } from "./types/mobile-app/index.ts";
import { webApp } from "./types/web-app/index.ts";

/** The outcome types that every installation can build. */
export const builtInPlugin: Plugin = {
  api_version: "v1",
  name: "@slipway/blueprints",
  version: "0.1.0",
  outcome_types: [api, cli, desktopApp, documentation, game, infrastructure, library, mlPipeline, mobileApp, webApp],
};

export function findOutcomeType(name: string): OutcomeType | undefined {
  return builtInPlugin.outcome_types.find((type) => type.name === name);
}
