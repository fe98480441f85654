import type { AgentCommand } from "./context.ts";

const ofRun = [
  { flags: "--project-id <id>", description: "its latest work for this project (default: its latest)" },
  { flags: "--task-id <id>", description: "its latest work at this task" },
];

/** Every `slipway agents …`. What carries one out is loaded when it is called. */
export const agentCommands: Readonly<Record<string, AgentCommand>> = {
  list: {
    description: "List agents, newest first.",
    isAboutOne: false,
    options: [
      { flags: "--limit <number>", description: "how many at most, up to 100 (default: 25)" },
      { flags: "--cursor <cursor>", description: "go on after the page before" },
    ],
    run: async (context) => (await import("./list-agents.ts")).listAgents(context),
  },
  describe: {
    description: "Show an agent: what it can do, what it is at, what it has used.",
    isAboutOne: true,
    run: async (context) => (await import("./describe-agent.ts")).describeAgent(context),
  },
  context: {
    description: "Show what an agent was given: task, prompt, files, limits, tokens used.",
    isAboutOne: true,
    options: ofRun,
    run: async (context) => (await import("./show-context.ts")).showContext(context),
  },
  vision: {
    description: "Show a file as an agent sees it, and what it has changed.",
    isAboutOne: true,
    options: [
      { flags: "--file <path>", description: "the file, from the project's folder on", isRequired: true },
      { flags: "--output <path>", description: "write the file itself there, also if it is an image" },
      ...ofRun,
    ],
    run: async (context) => (await import("./show-vision.ts")).showVision(context),
  },
  restart: {
    description: "Restart an agent: it finishes what it is at, is tried out, and is there again.",
    isAboutOne: true,
    options: [{ flags: "--force", description: "end what it is at; it begins again" }],
    run: async (context) => (await import("./change-agent.ts")).restartAgent(context),
  },
  add: {
    description: "Register an agent that works elsewhere.",
    isAboutOne: false,
    options: [
      { flags: "--name <name>", description: "what people call it", isRequired: true },
      { flags: "--kind <kind>", description: "worker or a2a", isRequired: true },
      { flags: "--capabilities <list>", description: "what it can do, separated by commas" },
      { flags: "--slots <number>", description: "how many tasks it does at a time (default: 1)" },
      { flags: "--agent-url <address>", description: "where an a2a agent is reached" },
    ],
    run: async (context) => (await import("./change-agent.ts")).addAgent(context),
  },
  remove: {
    description: "Delete an agent that was registered.",
    isAboutOne: true,
    options: [{ flags: "--force", description: "also while it has tasks; what it is at is ended" }],
    run: async (context) => (await import("./change-agent.ts")).removeAgent(context),
  },
};
