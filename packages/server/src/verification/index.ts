export { runScripts } from "./run-scripts.ts";
export { verifyPhase } from "./verify-phase.ts";
