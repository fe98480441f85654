import type { Command, Context } from "../command.ts";
import { UsageError } from "../exit-code.ts";

export const healthCheckCommand: Command = {
  name: "health-check",
  description: "Check the service and the latest run of each application; exits with 1 if one is unwell.",
  options: [
    { flags: "--all-projects", description: "check every application that you may read (the default)" },
    { flags: "--project-id <id>", description: "check only this project" },
  ],
  exitCodes: { 1: "a project failed, stalled, or what it deployed does not answer" },
  examples: ["slipway health-check --all-projects"],
  needs: "api",
  check: ({ options }: Context) => {
    if (options["allProjects"] && options["projectId"])
      throw new UsageError("give --all-projects or --project-id, not both");
  },
  run: async (context) => (await import("./check-health.ts")).checkHealth(context),
};
