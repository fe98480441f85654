import { type Argument, type CommandGroup, type Option, pageOptions } from "../command.ts";

const name: Argument = { name: "<name>", description: "the secret's name, as documents write it" };
const shared: Option = {
  flags: "--shared",
  description: "the secret for everybody's documents; needs an administrator",
};

export const secretCommands: CommandGroup = {
  name: "secrets",
  description:
    "Store secrets for documents that say 'provider: slipway'. The service encrypts them and never shows them.",
  notes: `'set' asks for the value without showing it, or reads it from standard input. It is never an argument, which other
programs on this machine could read.`,
  exitCodes: { 4: "the secret does not exist" },
  examples: [
    "slipway secrets set DATABASE_URL",
    "slipway secrets set TLS_KEY < key.pem",
    "slipway secrets list",
    "slipway secrets rm DATABASE_URL",
  ],
  commands: [
    {
      name: "set",
      description: "Set a secret, or replace its value.",
      arguments: [name],
      options: [shared],
      needs: "api",
      mayCreate: true,
      run: async (context) => (await import("./change-secret.ts")).setSecret(context),
    },
    {
      name: "list",
      description: "List your own secrets and the shared ones, newest first; never their values.",
      options: pageOptions("secrets"),
      needs: "api",
      run: async (context) => (await import("./list-secrets.ts")).listSecrets(context),
    },
    {
      name: "delete",
      aliases: ["rm", "remove"],
      description: "Remove a secret. Projects that require it fail from their next task on.",
      arguments: [name],
      options: [shared],
      needs: "api",
      run: async (context) => (await import("./change-secret.ts")).removeSecret(context),
    },
  ],
};
