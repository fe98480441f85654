import type { Command } from "../command.ts";

export const openCommand: Command = {
  name: "open",
  description: "Print a link to the dashboard that signs a browser in.",
  arguments: [{ name: "[project-id]", description: "the project to show", flag: "--project-id <id>" }],
  json: "print { url }",
  notes: "The link works once, for ten minutes. With an API key the page asks for the key instead.",
  examples: ["slipway open"],
  needs: "api",
  run: async (context) => (await import("./print-link.ts")).printLink(context),
};
