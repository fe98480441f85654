export { checkByPlugins } from "./check-by-plugins.ts";
export { collectArtifacts } from "./collect-artifacts.ts";
export { writeOverrides } from "./dependency-overrides.ts";
export { findScripts } from "./find-scripts.ts";
export { isEmptyResult, whyNotOwn } from "./own-file.ts";
export { runScripts } from "./run-scripts.ts";
