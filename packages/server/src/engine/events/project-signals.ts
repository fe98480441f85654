/** The channel on which nodes tell each other that projects changed. */
export const projectsChannel = "slipway_projects";

/** Tells waiting readers that a project changed: in this process at once, in others through the database. */
export { Signals as ProjectSignals } from "../../platform/wake-up/index.ts";
