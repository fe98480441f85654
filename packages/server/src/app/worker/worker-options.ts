import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type AgentSettings, readAgentSettings } from "../../agents/index.ts";
import { ConfigError } from "../../platform/errors/index.ts";
import { withoutEndSlashes } from "../../platform/without-end-slashes.ts";
import { type Config, readConfig } from "../config.ts";

/** The options of `slipway worker`. */
export interface WorkerOptions {
  readonly url: string;
  readonly token: string;
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly slots: number;
  /** How its agent is run. */
  readonly agent: AgentSettings;
  /** Where it works. */
  readonly folder: string;
  readonly sandbox: Config["sandbox"];
  /** The worker ends after one task. */
  readonly isOnce: boolean;
}

const flags = {
  url: { type: "string" },
  token: { type: "string" },
  name: { type: "string" },
  capabilities: { type: "string" },
  slots: { type: "string" },
  config: { type: "string" },
  profile: { type: "string" },
  command: { type: "string" },
  folder: { type: "string" },
  once: { type: "boolean" },
} as const;

export const workerHelp = `Usage: slipway worker --url <address> --name <name> [options]

Work on the tasks of a remote service, with an agent of this machine.

  --url <address>          the service (or SLIPWAY_URL)
  --token <token>          a token or key with agents:work and agents:read, and agents:manage to register (or SLIPWAY_TOKEN)
  --name <name>            the worker's name; it is registered if the service knows no worker of that name
  --capabilities <list>    what it can do, separated by commas
  --slots <number>         how many tasks it works on at a time (default: 1)
  --profile <name>         the agent: a known command-line agent, such as codex
  --command <line>         the agent: a shell command that reads its prompt from standard input
  --config <file>          the agent: the one under 'agents' in a config file, by the worker's name if there are several
  --folder <folder>        where it works (default: a folder for temporary files)
  --once                   end after one task

Without one of these, the agent is the built-in one. SLIPWAY_SANDBOX contains it, as it does for the service.
`;

/** Reads the command line; throws a ConfigError that says what is wrong. */
export function readWorkerOptions(args: readonly string[], env: NodeJS.ProcessEnv): WorkerOptions {
  const given = parseFlags(args);
  const url = given.url ?? env["SLIPWAY_URL"] ?? "";
  const token = given.token ?? env["SLIPWAY_TOKEN"] ?? "";
  const { name = "" } = given;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) throw new ConfigError("--url must be the service's address.");
  if (token === "") throw new ConfigError("A token is needed: --token, or SLIPWAY_TOKEN.");
  if (!/^\w[\w. -]{0,99}$/.test(name))
    throw new ConfigError("--name must have letters, digits, '-', '_', '.' and spaces, at most 100.");
  const slots = Number(given.slots ?? "1");
  if (!Number.isInteger(slots) || slots < 1 || slots > 20)
    throw new ConfigError("--slots must be a whole number from 1 to 20.");
  const { config } = readConfig(given.config === undefined ? [] : ["--config", given.config], env);
  const agent = agentSettings(given, name, config);
  const capabilities = (given.capabilities ?? "").split(",").flatMap((one) => one.trim() || []);
  return {
    url: withoutEndSlashes(url),
    token,
    name,
    capabilities: given.capabilities === undefined ? agent.capabilities : capabilities,
    slots,
    agent,
    // Each user has their own, since nobody enters that of another.
    folder: resolve(given.folder ?? join(tmpdir(), `slipway-workers-${process.geteuid?.() ?? 0}`)),
    sandbox: config.sandbox,
    isOnce: given.once ?? false,
  };
}

type Given = ReturnType<typeof parseFlags>;

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true }).values;
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

function agentSettings({ profile, command, config: file }: Given, name: string, config: Config): AgentSettings {
  if ([profile, command, file].filter((one) => one !== undefined).length > 1)
    throw new ConfigError("Only one of --profile, --command and --config says what the agent is.");
  if (profile !== undefined) return readOne({ name, kind: "command", profile }, "--profile");
  if (command !== undefined)
    return readOne({ name, kind: "command", command: "sh", args: ["-c", command] }, "--command");
  if (file === undefined) return readOne({ name, kind: "blueprint" }, "--name");
  const declared = readAgentSettings(config.agents.declared, file);
  const found = declared.length === 1 ? declared[0] : declared.find((one) => one.name === name);
  if (found === undefined) throw new ConfigError(`${file} declares no agent '${name}' under 'agents'.`);
  return found;
}

function readOne(declared: object, where: string): AgentSettings {
  return readAgentSettings([declared], where)[0]!;
}
