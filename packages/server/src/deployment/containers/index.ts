export { ContainerStarter } from "./container-starter.ts";
export { containerTarget } from "./container-target.ts";
export { type ContainerSettings, Containers } from "./containers.ts";
export { findEngine } from "./find-engine.ts";
export { sweepLeftContainers } from "./known-engines.ts";
