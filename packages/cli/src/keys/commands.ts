import { type Argument, type CommandGroup, pageOptions } from "../command.ts";

const key: Argument = {
  name: "[key]",
  description: "the key's id or name",
  flag: "--api-key-id <id>",
  missing: "give the key's id or name; 'slipway keys list' shows them",
};

export const scopesOption = {
  flags: "--scopes <list>",
  description: "what it may do, separated by commas",
  isRequired: true,
} as const;

export const expiresAtOption = {
  flags: "--expires-at <time>",
  description: "when it expires, such as 2027-01-31T00:00:00Z (default: 90 days)",
} as const;

export const keyCommands: CommandGroup = {
  name: "keys",
  description: "Create, rotate and revoke API keys for programs. Needs a user's token.",
  exitCodes: { 4: "the key does not exist" },
  commands: [
    {
      name: "list",
      description: "List your API keys, newest first; never the keys themselves.",
      options: pageOptions("keys"),
      examples: ["slipway keys list"],
      needs: "api",
      run: async (context) => (await import("./change-key.ts")).listKeys(context),
    },
    {
      name: "create",
      description: "Create an API key and print it, only once.",
      arguments: [{ name: "<name>", description: "a display name" }],
      options: [
        scopesOption,
        expiresAtOption,
        { flags: "--team <team>", description: "the only team whose projects it reaches" },
      ],
      examples: ["slipway keys create ci --scopes projects:create,projects:read"],
      needs: "api",
      run: async (context) => (await import("./change-key.ts")).createKey(context),
    },
    {
      name: "rotate",
      description: "Replace an API key; the old one keeps working for a while.",
      arguments: [key],
      options: [{ flags: "--overlap <seconds>", description: "how long the old key keeps working (default: a day)" }],
      examples: ["slipway keys rotate ci --overlap 3600"],
      needs: "api",
      run: async (context) => (await import("./change-key.ts")).rotateKey(context),
    },
    {
      name: "delete",
      aliases: ["revoke", "rm", "remove"],
      description: "Revoke an API key at once.",
      arguments: [key],
      examples: ["slipway keys delete ci"],
      needs: "api",
      run: async (context) => (await import("./change-key.ts")).revokeKey(context),
    },
  ],
};
