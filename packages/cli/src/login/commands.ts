import type { Command, CommandGroup } from "../command.ts";

export const loginCommand: Command = {
  name: "login",
  description: "Log in to a service with your browser, or with a token, for all later commands.",
  arguments: [
    { name: "[url]", description: "the service's address", flag: "--url <address>", missing: "give the address" },
  ],
  options: [
    { flags: "--token <token>", description: "a token; read from standard input where that is no terminal" },
    { flags: "--web", description: "log in with your browser (default on a terminal)" },
    { flags: "--ci", description: "in a job of GitHub Actions or GitLab: with its ID token, for a short-lived key" },
    { flags: "--audience <text>", description: "the audience of that token (default: the address)" },
    { flags: "--context <name>", description: "the name to keep it under (default: the address's host)" },
  ],
  notes: "The file is in the usual place of this system, and only you can read it. 'slipway contexts' switches.",
  exitCodes: { 3: "the service refused the token", 5: "cannot connect to the service" },
  examples: [
    "slipway login https://slipway.example.com --context work",
    "slipway login https://slipway.example.com --ci",
  ],
  run: async (context) => (await import("./log-in.ts")).logIn(context),
};

export const logoutCommand: Command = {
  name: "logout",
  description: "End the login to a service, and forget its address and token.",
  options: [{ flags: "--context <name>", description: "which one (default: the current one)" }],
  examples: ["slipway logout --context work"],
  run: async (context) => (await import("./log-in.ts")).logOut(context),
};

export const whoamiCommand: Command = {
  name: "whoami",
  description: "Show which service is used, whose token it is, and what that may do.",
  examples: ["slipway whoami"],
  needs: "api",
  run: async (context) => (await import("./log-in.ts")).whoAmI(context),
};

export const contextCommands: CommandGroup = {
  name: "contexts",
  description: "Switch between the services that you have logged in to.",
  commands: [
    {
      name: "list",
      description: "List them; never their tokens.",
      examples: ["slipway contexts list"],
      run: async (context) => (await import("./log-in.ts")).listContexts(context),
    },
    {
      name: "use",
      description: "Use one for all later commands.",
      arguments: [{ name: "<name>", description: "its name" }],
      examples: ["slipway contexts use work"],
      run: async (context) => (await import("./log-in.ts")).useContext(context),
    },
  ],
};
