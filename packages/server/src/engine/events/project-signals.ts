/** The channel on which nodes notify each other of changed projects. */
export const projectsChannel = "slipway_projects";

/** Notifies waiting readers of a changed project: in this process at once, in others through the database. */
export { Signals as ProjectSignals } from "../../platform/wake-up/index.ts";
