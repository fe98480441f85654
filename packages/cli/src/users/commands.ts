import { type Argument, type CommandGroup, pageOptions } from "../command.ts";

const user: Argument = {
  name: "[user]",
  description: "the user's id or name",
  flag: "--user-id <id>",
  missing: "give the user's id or name; 'slipway users list' shows them",
};
const role = {
  flags: "--role <role>",
  description: "svc:admin, svc:user or svc:readonly",
  isRequired: true,
} as const;

export const userCommands: CommandGroup = {
  name: "users",
  description: "Create, change and remove users, and end their tokens. Needs an administrator's token.",
  exitCodes: { 4: "the user does not exist" },
  examples: [
    "slipway users create ada@example.com --role svc:user",
    "slipway users issue-tokens ada@example.com",
    "slipway users set-role ada@example.com --role svc:readonly",
    "slipway users remove ada@example.com",
  ],
  commands: [
    {
      name: "list",
      description: "List users, newest first.",
      options: [...pageOptions("users"), { flags: "--removed", description: "those who were removed" }],
      needs: "api",
      run: async (context) => (await import("./list-users.ts")).listUsers(context),
    },
    {
      name: "create",
      description: "Create a user. 'slipway users issue-tokens' lets them in.",
      arguments: [{ name: "<name>", description: "a name without spaces, or an e-mail address" }],
      options: [role],
      examples: ["slipway users create ada@example.com --role svc:user"],
      needs: "api",
      run: async (context) => (await import("./change-user.ts")).createUser(context),
    },
    {
      name: "set-role",
      description: "Change a user's role. Their tokens and API keys have the new rights at once.",
      arguments: [user],
      options: [role],
      examples: ["slipway users set-role ada@example.com --role svc:readonly"],
      needs: "api",
      run: async (context) => (await import("./change-user.ts")).setRole(context),
    },
    {
      name: "delete",
      aliases: ["remove", "rm"],
      description: "Remove a user. Their tokens and API keys end at once, their webhooks stop; their projects stay.",
      arguments: [user],
      needs: "api",
      run: async (context) => (await import("./change-user.ts")).removeUser(context),
    },
    {
      name: "restore",
      description: "Let a removed user in again, with their projects; tokens, keys and webhooks stay ended.",
      arguments: [user],
      needs: "api",
      run: async (context) => (await import("./change-user.ts")).restoreUser(context),
    },
    {
      name: "issue-tokens",
      description: "Issue tokens for a user and show them, only once.",
      arguments: [user],
      needs: "api",
      run: async (context) => (await import("./change-user.ts")).issueTokens(context),
    },
    {
      name: "end-tokens",
      description: "End all tokens and API keys of a user, who stays and can be issued new tokens.",
      arguments: [user],
      needs: "api",
      run: async (context) => (await import("./change-user.ts")).endTokens(context),
    },
  ],
};
