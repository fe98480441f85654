import { type Argument, type CommandGroup, pageOptions } from "../command.ts";

const project: Argument = {
  name: "[project-id]",
  description: "the project",
  flag: "--project-id <id>",
  missing: "give the project's id; 'slipway projects list' shows it",
};

export const projectCommands: CommandGroup = {
  name: "projects",
  description: "Inspect and control projects.",
  exitCodes: { 1: "the project failed", 4: "the project does not exist", 124: "timed out" },
  commands: [
    {
      name: "list",
      description: "List projects, newest first.",
      options: [
        { flags: "--status <status>", description: "only projects with this status" },
        { flags: "--outcome-type <type>", description: "only projects of this outcome type" },
        { flags: "--id <id>", description: "only projects whose document has this id" },
        { flags: "--search <text>", description: "only projects with this text in their name or id" },
        ...pageOptions("projects"),
      ],
      needs: "api",
      run: async (context) => (await import("./list-projects.ts")).listProjects(context),
    },
    {
      name: "show",
      description: "Show a project's status, phases, tasks, checkpoints and approvals.",
      arguments: [project],
      needs: "api",
      run: async (context) => (await import("./show-project.ts")).showProject(context),
    },
    {
      name: "acceptance",
      description: "Show the verdict on every line of a project's document.",
      arguments: [project],
      needs: "api",
      run: async (context) => (await import("./show-acceptance.ts")).showAcceptance(context),
    },
    {
      name: "watch",
      description: "Follow a project to its end, as 'slipway run' does.",
      arguments: [project],
      options: [{ flags: "--timeout <minutes>", description: "how long to wait for the end (default: 30)" }],
      needs: "worker",
      run: async (context) => (await import("./watch-project.ts")).watchProject(context),
    },
    {
      name: "cancel",
      description: "Cancel a project; it ends as failed.",
      arguments: [project],
      needs: "api",
      run: async (context) => (await import("./change-project.ts")).cancelProject(context),
    },
    {
      name: "pause",
      description: "Pause a project; running tasks finish, no new ones start.",
      arguments: [project],
      needs: "api",
      run: async (context) => (await import("./change-project.ts")).pauseProject(context),
    },
    {
      name: "resume",
      description: "Resume a paused project.",
      arguments: [project],
      needs: "api",
      run: async (context) => (await import("./change-project.ts")).resumeProject(context),
    },
    {
      name: "restart",
      description: "Restart a project from a phase; a paused one goes on.",
      arguments: [project],
      options: [{ flags: "--from-phase <phase>", description: "the phase", isRequired: true }],
      needs: "api",
      run: async (context) => (await import("./change-project.ts")).restartProject(context),
    },
    {
      name: "rollback",
      description: "Roll a project back to a checkpoint, both code and state; a paused one goes on.",
      arguments: [project],
      options: [
        { flags: "--checkpoint <id>", description: "the checkpoint; 'projects show' lists them", isRequired: true },
      ],
      needs: "api",
      run: async (context) => (await import("./change-project.ts")).rollbackProject(context),
    },
    {
      name: "retry",
      description: "Retry a task of a failed project.",
      arguments: [project],
      options: [
        { flags: "--task-id <id>", description: "the task (default: the one that failed the project)" },
        { flags: "--downstream", description: "also rerun every task that depends on it" },
      ],
      needs: "api",
      run: async (context) => (await import("./change-project.ts")).retryTask(context),
    },
    {
      name: "reassign",
      description: "Assign an agent to a role of a project, starting with the role's next task.",
      arguments: [project],
      options: [
        { flags: "--role <role>", description: "the role", isRequired: true },
        { flags: "--agent-id <id>", description: "the agent's id or name", isRequired: true },
        {
          flags: "--priority <priority>",
          description: "the priority in the agent's queue: low, medium, high or critical",
        },
        { flags: "--reassign-running", description: "also move running tasks; they start again" },
      ],
      examples: ["slipway projects reassign proj_01kaw3v9t2h5m8q1x7zc --role implementer --agent-id builder"],
      needs: "api",
      run: async (context) => (await import("./change-project.ts")).reassignRole(context),
    },
    {
      name: "approve",
      description: "Approve or deny what a project waits for.",
      arguments: [project],
      options: [
        { flags: "--approval-id <id>", description: "which approval, if the project waits for several" },
        { flags: "--deny", description: "deny it; the project fails" },
        { flags: "--comment <text>", description: "the reason" },
        {
          flags: "--confirm <line>",
          description: "an unchecked line that you have seen to hold: its number or pointer; repeatable",
          isRepeatable: true,
        },
      ],
      needs: "api",
      run: async (context) => (await import("./approve-project.ts")).approveProject(context),
    },
    {
      name: "deploy",
      description: "Deploy a project's result to a further environment: the same files, nothing is built again.",
      arguments: [
        project,
        {
          name: "[environment]",
          description: "the environment; default for the document's top level",
          flag: "--environment <name>",
          missing: "give the environment to deploy to",
        },
      ],
      options: [{ flags: "--timeout <minutes>", description: "how long to wait until it is live (default: 30)" }],
      needs: "worker",
      run: async (context) => (await import("./deploy-project.ts")).deployProject(context),
    },
    {
      name: "delete",
      description: "Delete a project that has ended and is not live.",
      arguments: [project],
      needs: "api",
      run: async (context) => (await import("./change-project.ts")).deleteProject(context),
    },
  ],
};
