import type { Command } from "../command.ts";

export const diagnoseCommand: Command = {
  name: "diagnose",
  description: "Write one file that explains a project: document, plan, timeline, errors, verdicts and logs.",
  arguments: [
    {
      name: "[project-id]",
      description: "the project",
      flag: "--project-id <id>",
      missing: "give the project's id; 'slipway projects list' shows it",
    },
  ],
  options: [
    { flags: "--output <file>", description: "the file to write; '-' writes to standard output (default: ID.json)" },
    { flags: "--force", description: "overwrite an existing file" },
  ],
  json: "print what was written, and where",
  notes: "Secrets are masked, so that the file can go with a report. Read it before you pass it on all the same.",
  exitCodes: { 4: "the project does not exist" },
  examples: ["slipway diagnose --project-id proj_01kaw3v9t2h5m8q1x7zc --output report.json"],
  needs: "api",
  run: async (context) => (await import("./diagnose-project.ts")).diagnoseProject(context),
};
