import { type CommandGroup, pageOptions } from "../command.ts";

export const sessionCommands: CommandGroup = {
  name: "sessions",
  description: "See where you are signed in, and end it there.",
  examples: ["slipway sessions list", "slipway sessions end 01kaw3v9t2h5m8q1x7zc"],
  commands: [
    {
      name: "list",
      description: "List your sign-ins, newest first: browsers, command lines, programs.",
      options: pageOptions("sign-ins"),
      needs: "api",
      examples: ["slipway sessions list"],
      run: async (context) => (await import("./change-sessions.ts")).listSessions(context),
    },
    {
      name: "end",
      description: "End a sign-in, with all tokens that came of it.",
      arguments: [{ name: "<session>", description: "its id" }],
      exitCodes: { 4: "you have no such sign-in" },
      needs: "api",
      examples: ["slipway sessions end 01kaw3v9t2h5m8q1x7zc"],
      run: async (context) => (await import("./change-sessions.ts")).endSession(context),
    },
  ],
};
