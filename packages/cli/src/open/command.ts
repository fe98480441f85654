import type { Command } from "../command.ts";
import { dashboardLink } from "../connection/dashboard-link.ts";
import { adviseToServe } from "../connection/run-on-service.ts";
import { exitCode } from "../exit-code.ts";

export const openCommand: Command = {
  name: "open",
  description: "Print a link to the dashboard that signs a browser in.",
  arguments: [{ name: "[project-id]", description: "the project to show", flag: "--project-id <id>" }],
  json: "print { url }",
  notes: "The link works once, for ten minutes. With an API key the page asks for the key instead.",
  examples: ["slipway open"],
  needs: "api",
  run: async (context) => {
    const { client, connection, terminal, args, options, signal } = context;
    if (connection.service !== undefined) {
      // It ends with this command: nobody could follow the link.
      adviseToServe(context, "see the dashboard");
      return exitCode.cannotConnect;
    }
    const url = await dashboardLink(client, args[0] === undefined ? "/" : `/projects/${args[0]}`, signal);
    terminal.out(options.json ? JSON.stringify({ url }) : url);
    return exitCode.ok;
  },
};
