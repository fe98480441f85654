import { type Argument, type CommandGroup, pageOptions } from "../command.ts";

const agent: Argument = {
  name: "[agent]",
  description: "the agent's id or name",
  flag: "--agent-id <id>",
  missing: "give the agent's id or name; 'slipway agents list' shows them",
};
const attempt = [
  { flags: "--project-id <id>", description: "the agent's latest attempt in this project (default: its latest)" },
  { flags: "--task-id <id>", description: "the agent's latest attempt at this task" },
];

export const agentCommands: CommandGroup = {
  name: "agents",
  description: "Inspect, register and restart agents.",
  exitCodes: { 4: "the agent does not exist" },
  commands: [
    {
      name: "list",
      description: "List agents, newest first.",
      options: pageOptions("agents"),
      needs: "api",
      run: async (context) => (await import("./list-agents.ts")).listAgents(context),
    },
    {
      name: "show",
      aliases: ["describe"],
      description: "Show an agent's capabilities, status and usage.",
      arguments: [agent],
      needs: "api",
      run: async (context) => (await import("./describe-agent.ts")).describeAgent(context),
    },
    {
      name: "context",
      description: "Show what an agent received: task, prompt, files, limits, token usage.",
      arguments: [agent],
      options: attempt,
      needs: "api",
      run: async (context) => (await import("./show-context.ts")).showContext(context),
    },
    {
      name: "vision",
      description: "Show a file as an agent sees it, with the agent's changes.",
      arguments: [agent],
      options: [
        { flags: "--file <path>", description: "the file, relative to the project's folder", isRequired: true },
        { flags: "--output <path>", description: "write the file itself to this path; works for images" },
        ...attempt,
      ],
      needs: "api",
      run: async (context) => (await import("./show-vision.ts")).showVision(context),
    },
    {
      name: "restart",
      description: "Restart an agent: it finishes its tasks, then the service checks it and makes it available again.",
      arguments: [agent],
      options: [{ flags: "--force", description: "stop its running tasks; they start again" }],
      needs: "api",
      run: async (context) => (await import("./change-agent.ts")).restartAgent(context),
    },
    {
      name: "create",
      aliases: ["add"],
      description: "Register a remote agent.",
      options: [
        { flags: "--name <name>", description: "a unique display name", isRequired: true },
        { flags: "--kind <kind>", description: "worker or a2a", isRequired: true },
        { flags: "--capabilities <list>", description: "its capabilities, separated by commas" },
        { flags: "--slots <number>", description: "how many tasks it can run at once (default: 1)" },
        { flags: "--agent-url <address>", description: "the address of an a2a agent" },
      ],
      examples: ["slipway agents create --name farm --kind worker --capabilities api,typescript"],
      needs: "api",
      run: async (context) => (await import("./change-agent.ts")).addAgent(context),
    },
    {
      name: "delete",
      aliases: ["remove", "rm"],
      description: "Delete a registered agent.",
      arguments: [agent],
      options: [{ flags: "--force", description: "delete it even while it has tasks; its running tasks are stopped" }],
      examples: ["slipway agents delete farm"],
      needs: "api",
      run: async (context) => (await import("./change-agent.ts")).removeAgent(context),
    },
  ],
};
