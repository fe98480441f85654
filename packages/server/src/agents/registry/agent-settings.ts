import { dirname, isAbsolute, resolve } from "node:path";
import { ConfigError } from "../../platform/errors/index.ts";
import { FieldReader } from "../../platform/field-reader.ts";
import { argumentNames, namesIn } from "../drivers/command/arguments.ts";
import { findProfile, profiles } from "../drivers/command/profiles.ts";

const agentKinds = ["blueprint", "command", "acp", "llm", "a2a", "plugin"] as const;
type AgentKind = (typeof agentKinds)[number];

const networkPolicies = ["allow", "loopback", "none"] as const;
type NetworkPolicy = (typeof networkPolicies)[number];

const permissionPolicies = ["allow", "ask", "deny"] as const;
type PermissionPolicy = (typeof permissionPolicies)[number];

/** An agent as an operator declares it under `agents` in the config file. */
export interface AgentSettings {
  readonly name: string;
  readonly kind: AgentKind;
  /** The name of a command-line agent that we know. */
  readonly profile: string | undefined;
  readonly command: string | undefined;
  readonly args: readonly string[];
  /** Files and folders that its program needs beside itself. */
  readonly reads: readonly string[];
  /** Names of environment variables that the service passes on. */
  readonly env: readonly string[];
  readonly capabilities: readonly string[];
  /** How many tasks it runs at a time. */
  readonly slots: number | undefined;
  readonly model: string | undefined;
  readonly url: string | undefined;
  /** The environment variable that holds its key. */
  readonly keyEnv: string | undefined;
  /** The plugin that defines its kind, and the kind's name there. */
  readonly plugin: string | undefined;
  readonly driver: string | undefined;
  readonly limits: AgentSettingsLimits;
  readonly network: NetworkPolicy;
  /** The mode of its session. */
  readonly mode: string | undefined;
  /** How its permission requests are answered; undefined: allowed, because the sandbox contains it. */
  readonly permissions: PermissionPolicy | undefined;
}

interface AgentSettingsLimits {
  readonly idleMinutes: number | undefined;
  readonly tokens: number | undefined;
  readonly costUsd: number | undefined;
  /** How long people may take to answer a permission request. */
  readonly permissionMinutes: number | undefined;
}

/** The keys of each kind, in addition to `commonKeys`. */
const keysOf: Readonly<Record<AgentKind, readonly string[]>> = {
  blueprint: [],
  command: ["profile", "command", "args", "reads", "env", "model"],
  acp: ["command", "args", "reads", "env", "model", "mode", "permissions"],
  llm: ["model", "url", "key_env"],
  a2a: ["url", "key_env"],
  plugin: ["plugin", "driver", "env"],
};
const commonKeys = ["name", "kind", "capabilities", "slots", "limits", "network"];
const maxAgents = 200;

/** Reads `agents` of the config file; a ConfigError lists every problem. `where` names the file. */
export function readAgentSettings(value: unknown, where: string): readonly AgentSettings[] {
  if (value === undefined || value === null) return [];
  const problems: string[] = [];
  const agents = readList(value, where, problems);
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return agents;
}

function readList(value: unknown, where: string, problems: string[]): AgentSettings[] {
  if (!Array.isArray(value)) {
    problems.push(`agents in ${where} must be a list, each entry with 'name' and 'kind'.`);
    return [];
  }
  if (value.length > maxAgents) problems.push(`agents in ${where} must have at most ${maxAgents} entries.`);
  const agents = value.slice(0, maxAgents).flatMap((entry, index) => {
    const fields = new FieldReader(entry, { path: `agents[${index}]`, file: where }, problems);
    return fields.isMap ? [readAgent(fields, where)] : [];
  });
  const names = new Set<string>();
  for (const { name } of agents) {
    if (names.has(name)) problems.push(`agents in ${where}: two have the name '${name}'.`);
    if (name !== "") names.add(name);
  }
  return agents;
}

function readAgent(fields: FieldReader, where: string): AgentSettings {
  const written = fields.word("kind", agentKinds, { isRequired: true });
  const kind = written ?? "blueprint";
  if (written !== undefined) fields.onlyKeys([...commonKeys, ...keysOf[kind]], `agents of kind '${kind}'`);
  const limits = fields.nested("limits");
  limits.onlyKeys(["idle_minutes", "tokens", "cost_usd", "permission_minutes"], "limits");
  const agent: AgentSettings = {
    name: fields.text("name", { isRequired: true, pattern: /^[\w][\w. -]{0,99}$/, form: namesForm }) ?? "",
    kind,
    profile: fields.text("profile"),
    command: besideFile(fields.text("command"), where),
    args: fields.texts("args", { mayBeEmpty: true }),
    reads: fields.texts("reads").map((path) => resolve(dirname(where), path)),
    env: fields.texts("env", {
      pattern: variable,
      form: "names of environment variables, such as OPENAI_API_KEY, and not of SLIPWAY_…",
    }),
    capabilities: fields.texts("capabilities"),
    slots: fields.number("slots", { min: 1, max: 1000, isWhole: true }),
    model: fields.text("model"),
    url: fields.url("url"),
    keyEnv: fields.text("key_env", {
      pattern: variable,
      form: "the name of an environment variable, such as OPENAI_API_KEY, and not of SLIPWAY_…",
    }),
    plugin: fields.text("plugin"),
    driver: fields.text("driver"),
    limits: {
      idleMinutes: limits.number("idle_minutes", { min: 0.1, max: 1440 }),
      tokens: limits.number("tokens", { min: 1, max: 1e12, isWhole: true }),
      costUsd: limits.number("cost_usd", { min: 0.01, max: 1e6 }),
      permissionMinutes: limits.number("permission_minutes", { min: 0.1, max: 1440 }),
    },
    network: fields.word("network", networkPolicies) ?? defaultNetwork[kind],
    mode: fields.text("mode"),
    permissions: fields.word("permissions", permissionPolicies),
  };
  checkKind(fields, agent);
  return agent;
}

/** A program with a path lies where the file says, which is not where the agent works. */
function besideFile(command: string | undefined, file: string): string | undefined {
  const isPath = command?.includes("/") === true && !isAbsolute(command);
  return isPath ? resolve(dirname(file), command!) : command;
}

// An agent must not receive the service's own settings.
const variable = /^(?!SLIPWAY_)[A-Za-z_][A-Za-z0-9_]{0,199}$/;
const namesForm = "a name of letters, digits, '-', '_', '.' and spaces, at most 100";

/** Command-line and ACP agents call their model themselves, so they need a network. */
const defaultNetwork: Readonly<Record<AgentKind, NetworkPolicy>> = {
  blueprint: "none",
  command: "allow",
  acp: "allow",
  llm: "none",
  a2a: "none",
  plugin: "none",
};

/** Checks what one value of an agent requires of the others. */
function checkKind(fields: FieldReader, agent: AgentSettings): void {
  const { kind, profile, command, args, model, url, plugin, driver } = agent;
  const isMissing = (key: string, value: unknown) => value === undefined && !fields.has(key);
  switch (kind) {
    case "blueprint":
      return;
    case "command":
      if (isMissing("profile", profile) && isMissing("command", command))
        fields.problem("", `needs a 'profile' (${profileNames()}) or a 'command'.`);
      if (profile !== undefined && findProfile(profile) === undefined)
        fields.problem("profile", `must be one of ${profileNames()}.`);
      checkArguments(fields, args, model);
      return;
    case "acp":
      if (isMissing("command", command)) fields.problem("", "needs a 'command' that speaks the Agent Client Protocol.");
      checkArguments(fields, args, model);
      return;
    case "llm":
      if (isMissing("url", url)) fields.problem("", "needs the 'url' of an OpenAI-compatible endpoint.");
      if (isMissing("model", model)) fields.problem("", "needs a 'model'.");
      return;
    case "a2a":
      if (isMissing("url", url)) fields.problem("", "needs the 'url' of the agent.");
      return;
    case "plugin":
      if (isMissing("plugin", plugin)) fields.problem("", "needs the 'plugin' that defines its kind.");
      if (isMissing("driver", driver))
        fields.problem("", "needs the 'driver': the name that the plugin gives its kind.");
      return;
  }
}

function checkArguments(fields: FieldReader, args: readonly string[], model: string | undefined): void {
  for (const [index, text] of args.entries()) {
    for (const { name, isKnown } of namesIn(text)) {
      if (!isKnown)
        fields.problem(
          `args[${index}]`,
          `uses '{{${name}}}', which is unknown. Known are: ${Object.keys(argumentNames).join(", ")}.`,
        );
      else if (name === "model" && model === undefined)
        fields.problem(`args[${index}]`, "uses '{{model}}', but the agent has no 'model'.");
    }
  }
}

function profileNames(): string {
  return profiles.map(({ name }) => name).join(", ");
}
