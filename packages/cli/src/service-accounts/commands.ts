import { type Argument, type CommandGroup, pageOptions } from "../command.ts";
import { expiresAtOption, scopesOption } from "../keys/commands.ts";

const account: Argument = {
  name: "[account]",
  description: "the account's name or id",
  flag: "--user-id <id>",
  missing: "give the account's name or id; 'slipway service-accounts list' shows them",
};

export const serviceAccountCommands: CommandGroup = {
  name: "service-accounts",
  description: "Manage service accounts: owners of API keys who do not leave. Needs an administrator's token.",
  exitCodes: { 4: "the service account does not exist" },
  examples: [
    "slipway service-accounts create release-pipeline --role svc:user --team storefront",
    "slipway service-accounts create-key release-pipeline ci --scopes projects:create,projects:read",
    "slipway service-accounts delete release-pipeline",
  ],
  commands: [
    {
      name: "list",
      description: "List service accounts, newest first.",
      options: pageOptions("service accounts"),
      needs: "api",
      run: async (context) => (await import("./change-account.ts")).listAccounts(context),
    },
    {
      name: "create",
      description: "Create a service account. It stays when you go.",
      arguments: [{ name: "<name>", description: "a name without spaces" }],
      options: [
        { flags: "--role <role>", description: "svc:admin, svc:user or svc:readonly", isRequired: true },
        { flags: "--team <team>", description: "the only team that it works for (default: the installation)" },
      ],
      needs: "api",
      run: async (context) => (await import("./change-account.ts")).createAccount(context),
    },
    {
      name: "keys",
      description: "List the API keys of a service account; never the keys themselves.",
      arguments: [account],
      options: pageOptions("keys"),
      needs: "api",
      run: async (context) => (await import("./change-account.ts")).listKeysOfAccount(context),
    },
    {
      name: "create-key",
      description: "Create an API key of a service account and print it, only once.",
      arguments: [account, { name: "<name>", description: "a display name" }],
      options: [scopesOption, expiresAtOption],
      needs: "api",
      run: async (context) => (await import("./change-account.ts")).createKeyOfAccount(context),
    },
    {
      name: "delete",
      aliases: ["remove", "rm"],
      description: "Remove a service account. Its keys end at once.",
      arguments: [account],
      needs: "api",
      run: async (context) => (await import("./change-account.ts")).removeAccount(context),
    },
  ],
};
