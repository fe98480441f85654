import { agentCommands } from "./agents/commands.ts";
import { appCommands } from "./apps/commands.ts";
import { artifactCommands } from "./artifacts/commands.ts";
import { auditCommands } from "./audit/commands.ts";
import type { Command, CommandGroup } from "./command.ts";
import { completionCommand } from "./completion/command.ts";
import { debugCommand } from "./debug/command.ts";
import { diagnoseCommand } from "./diagnose/command.ts";
import { exitCode } from "./exit-code.ts";
import { explainCommand } from "./explain/command.ts";
import { healthCheckCommand } from "./health/command.ts";
import { initCommand } from "./init/command.ts";
import { keyCommands } from "./keys/commands.ts";
import { contextCommands, loginCommand, logoutCommand, whoamiCommand } from "./login/commands.ts";
import { logsCommand } from "./logs/command.ts";
import { openCommand } from "./open/command.ts";
import { toJson } from "./output/to-json.ts";
import { planCommand } from "./plan/command.ts";
import { projectCommands } from "./projects/commands.ts";
import { runCommand } from "./run/command.ts";
import { secretCommands } from "./secrets/commands.ts";
import { serviceAccountCommands } from "./service-accounts/commands.ts";
import { serviceCommands } from "./service-commands.ts";
import { sessionCommands } from "./sessions/commands.ts";
import { sourceCommands } from "./source/commands.ts";
import { teamCommands } from "./teams/commands.ts";
import { upgradeCommand } from "./upgrade/command.ts";
import { userCommands } from "./users/commands.ts";
import { validateCommand } from "./validate/command.ts";
import { versionCommand } from "./version.ts";
import { webhookCommands } from "./webhooks/commands.ts";

const schemaCommand: Command = {
  name: "schema",
  description: "Print the JSON Schema (2020-12) of specification documents, for editors and other tools.",
  json: "the same: a schema is always JSON",
  notes: `An editor with the YAML language server completes and explains every field if the document starts with
  # yaml-language-server: $schema=<path to the schema>`,
  run: async ({ terminal }) => {
    const { specJsonSchema } = await import("@slipway/spec");
    terminal.out(toJson(specJsonSchema()));
    return exitCode.ok;
  },
};

/** Every command, in the order in which `slipway --help` lists them. */
export const commands: readonly (Command | CommandGroup)[] = [
  serviceCommands.serve,
  serviceCommands.worker,
  initCommand,
  validateCommand,
  planCommand,
  runCommand,
  projectCommands,
  appCommands,
  openCommand,
  sourceCommands,
  agentCommands,
  artifactCommands,
  webhookCommands,
  secretCommands,
  sessionCommands,
  userCommands,
  teamCommands,
  serviceAccountCommands,
  auditCommands,
  keyCommands,
  loginCommand,
  logoutCommand,
  whoamiCommand,
  contextCommands,
  serviceCommands.plugins,
  logsCommand,
  debugCommand,
  diagnoseCommand,
  healthCheckCommand,
  explainCommand,
  schemaCommand,
  serviceCommands.doctor,
  serviceCommands.config,
  serviceCommands.service,
  serviceCommands.backup,
  serviceCommands.restore,
  serviceCommands.adminToken,
  upgradeCommand,
  completionCommand(() => commands),
  versionCommand,
];
