import type { ProjectCommand } from "./context.ts";

/** Every `slipway projects …`. What carries one out is loaded when it is called. */
export const projectCommands: Readonly<Record<string, ProjectCommand>> = {
  list: {
    description: "List projects, newest first.",
    isAboutOne: false,
    options: [
      { flags: "--status <status>", description: "only those with this status" },
      { flags: "--outcome-type <type>", description: "only those of this outcome type" },
      { flags: "--id <id>", description: "only those whose document has this id" },
      { flags: "--search <text>", description: "only those with this text in their name or id" },
      { flags: "--limit <number>", description: "how many at most, up to 100 (default: 25)" },
      { flags: "--cursor <cursor>", description: "go on after the page before" },
    ],
    run: async (context) => (await import("./list-projects.ts")).listProjects(context),
  },
  show: {
    description: "Show where a project stands: phases, tasks, approvals.",
    isAboutOne: true,
    run: async (context) => (await import("./show-project.ts")).showProject(context),
  },
  watch: {
    description: "Follow a project to its end, as 'slipway run' does.",
    isAboutOne: true,
    options: [{ flags: "--timeout <minutes>", description: "how long to wait for the end (default: 30)" }],
    needsWorker: true,
    run: async (context) => (await import("./watch-project.ts")).watchProject(context),
  },
  cancel: {
    description: "Cancel a project: it ends as failed.",
    isAboutOne: true,
    run: async (context) => (await import("./change-project.ts")).cancelProject(context),
  },
  pause: {
    description: "Pause a project: what runs is finished, nothing new begins.",
    isAboutOne: true,
    run: async (context) => (await import("./change-project.ts")).pauseProject(context),
  },
  resume: {
    description: "Let a paused project go on.",
    isAboutOne: true,
    run: async (context) => (await import("./change-project.ts")).resumeProject(context),
  },
  restart: {
    description: "Start a project over from a phase.",
    isAboutOne: true,
    options: [{ flags: "--from-phase <phase>", description: "the phase", isRequired: true }],
    run: async (context) => (await import("./change-project.ts")).restartProject(context),
  },
  rollback: {
    description: "Take a project back to a checkpoint, code and state together.",
    isAboutOne: true,
    options: [
      { flags: "--checkpoint <id>", description: "the checkpoint, as 'projects show' lists it", isRequired: true },
    ],
    run: async (context) => (await import("./change-project.ts")).rollbackProject(context),
  },
  retry: {
    description: "Try a task of a failed project again.",
    isAboutOne: true,
    options: [
      { flags: "--task-id <id>", description: "the task (default: the one that failed the project)" },
      { flags: "--downstream", description: "also do everything again that depends on it" },
    ],
    run: async (context) => (await import("./change-project.ts")).retryTask(context),
  },
  reassign: {
    description: "Fill a role of a project with an agent, from the role's next task on.",
    isAboutOne: true,
    options: [
      { flags: "--role <role>", description: "the role", isRequired: true },
      { flags: "--agent-id <id>", description: "the agent", isRequired: true },
      { flags: "--priority <priority>", description: "low, medium, high or critical: orders the agent's queue" },
      { flags: "--reassign-running", description: "also move tasks that run; they begin again" },
    ],
    run: async (context) => (await import("./change-project.ts")).reassignRole(context),
  },
  approve: {
    description: "Decide what a project waits for.",
    isAboutOne: true,
    options: [
      { flags: "--approval-id <id>", description: "which, if it waits for several" },
      { flags: "--deny", description: "deny it: the project fails" },
      { flags: "--comment <text>", description: "why" },
    ],
    run: async (context) => (await import("./approve-project.ts")).approveProject(context),
  },
  delete: {
    description: "Delete a project that has ended and is not live.",
    isAboutOne: true,
    run: async (context) => (await import("./change-project.ts")).deleteProject(context),
  },
};
