import type { Command } from "../command.ts";

export const debugCommand: Command = {
  name: "debug",
  description: "Stop a project before each task, and look at it from a prompt: step, inspect, logs, diff.",
  arguments: [
    {
      name: "[project-id]",
      description: "the project",
      flag: "--project-id <id>",
      missing: "give the project's id; 'slipway projects list' shows it",
    },
  ],
  options: [{ flags: "--agent-id <id>", description: "show the logs and files of this agent (id or name)" }],
  json: "print the answer of each command as a line of JSON",
  notes: `Commands at the prompt, which are completed by Tab and may also come from a pipe:
  step                 let one task start
  inspect [task]       show what runs and what waits; or a task with its attempts
  logs [lines]         show the last lines
  diff <file>          show what the agent changed in a file
  continue             go on without stopping; the prompt stays
  quit                 end the debugging; the project goes on`,
  exitCodes: { 4: "the project does not exist" },
  examples: ["slipway debug --project-id proj_01kaw3v9t2h5m8q1x7zc --agent-id builder"],
  needs: "worker",
  run: async (context) => (await import("./debug-project.ts")).debugProject(context),
};
