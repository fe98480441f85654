import { endWithOutput } from "../platform/end-with-output.ts";
import { ConfigError } from "../platform/errors/index.ts";
import { type Config, readConfig } from "./config.ts";
import { describeConfig } from "./read-settings.ts";
import { type Setting, settings } from "./settings.ts";
import { untilEnded } from "./until-ended.ts";

/** Runs a command that needs the service's own code; the `slipway` command starts it as a process of its own. */
export async function runCommand([command, ...args]: readonly string[]): Promise<void> {
  if (!outliving.has(command ?? "")) endWithOutput();
  try {
    if (args.includes("--help") || args.includes("-h")) process.stdout.write(await helpOf(command ?? ""));
    else if (command === "serve") {
      // Before the service is loaded: a wrong setting is told at once.
      const { config } = readConfig(args, process.env);
      await (await import("./serve.ts")).serve(config);
    } else if (command === "worker") await (await import("./worker/index.ts")).runWorker(args, process.env);
    else if (command === "supervise") await (await import("./supervisor/index.ts")).runSupervisor(args);
    else if (command === "config") printConfig(args);
    else if (command === "unmet") await (await import("./commands/unmet.ts")).printUnmet(args);
    else if (command === "archive") {
      const why = await (await import("./commands/archive.ts")).archiveCommand(args);
      if (why !== undefined) fail(why, 1);
    } else if (command === "doctor") {
      const { isJson, rest } = takeJsonFlag(args);
      const { isWell } = await (await import("./doctor/index.ts")).examine(() => readConfig(rest, process.env).config, {
        isJson,
      });
      if (!isWell) process.exitCode = 1;
    } else if (command === "plugins") {
      await managePlugins(args);
    } else if (command === "admin-token" && args[0] === "rotate") {
      const { isJson, rest } = takeJsonFlag(args.slice(1));
      await (await import("./commands/rotate-admin-token.ts")).rotate(readConfig(rest, process.env).config, { isJson });
    } else if (command === "service") {
      const refused = await (await import("./commands/manage-service.ts")).manageService(args);
      if (refused !== undefined) fail(refused.why, refused.code);
    } else if (command === "backup" || command === "restore") {
      await backUpOrRestore(command, args);
    } else fail(`unknown command '${[command, ...args].join(" ")}'`, 2);
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.message, 2);
    const { DatabaseRefusal } = await import("../platform/database/index.ts");
    if (error instanceof DatabaseRefusal) return fail(error.message, 1);
    const { BackupRefusal } = await import("./backup/index.ts");
    if (error instanceof BackupRefusal) return fail(error.message, 1);
    const { BlobError } = await import("../platform/blobs/index.ts");
    if (error instanceof BlobError) return fail(error.message, 1);
    const cannotListen = explainListening(error as ListenError);
    if (cannotListen !== undefined) return fail(cannotListen, 1);
    if (isOfDisk(error as NodeJS.ErrnoException)) return fail(`a file cannot be used: ${(error as Error).message}`, 1);
    throw error;
  }
}

/** They go on where nobody reads what they print. */
const outliving: ReadonlySet<string> = new Set(["serve", "worker", "supervise"]);

async function backUpOrRestore(command: "backup" | "restore", args: readonly string[]): Promise<void> {
  const { isJson, rest } = takeJsonFlag(args);
  const [folder, ...options] = rest;
  if (folder === undefined || folder.startsWith("-")) return fail(`say 'slipway ${command} <folder>'`, 2);
  const { config } = readConfig(options, process.env);
  const { backupCommand, restoreCommand } = await import("./backup/index.ts");
  await { backup: backupCommand, restore: restoreCommand }[command](config, folder, { isJson });
}

async function managePlugins([action, ...args]: readonly string[]): Promise<void> {
  const { addPluginCommand, listPluginsCommand, removePluginCommand } = await import("./commands/plugins.ts");
  const { isJson, rest } = takeJsonFlag(args);
  const print = (text: string) => void process.stdout.write(text);
  const printed = { isJson, print };
  const [what, ...options] = rest;
  const add = (config: Config, name: string) =>
    addPluginCommand(config, name, { ...printed, signal: untilEnded(new Error("Interrupted.")) });
  const remove = (config: Config, name: string) => removePluginCommand(config, name, printed);
  const change = { add, remove }[action ?? ""];
  if (action === "list") {
    if (!(await listPluginsCommand(readConfig(rest, process.env).config, printed))) process.exitCode = 1;
  } else if (change !== undefined && what !== undefined && !what.startsWith("-")) {
    const why = await change(readConfig(options, process.env).config, what);
    if (why !== undefined) fail(why, 1);
  } else fail("say 'slipway plugins add <folder, tarball or package>', 'remove <name>' or 'list'", 2);
}

type ListenError = NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string };

/** Why the service cannot listen on its address; undefined if something else failed. */
function explainListening({ code, syscall, address, port, hostname }: ListenError): string | undefined {
  const where = port === undefined ? address : `${address}:${port}`;
  if (code === "EADDRINUSE") return `${where} is in use. Choose another with --port.`;
  if (syscall === "listen") return `${where} cannot be listened on (${code}). Choose another with --host and --port.`;
  if (syscall === "getaddrinfo") return `There is no host '${hostname}' to listen on. Choose another with --host.`;
  return undefined;
}

/** A disk that is full, closed or failing, or that takes no such name: no error of ours. */
function isOfDisk({ code, syscall }: NodeJS.ErrnoException): boolean {
  const codes = ["ENOSPC", "EDQUOT", "EROFS", "EIO", "EACCES", "EPERM", "ENAMETOOLONG"];
  return syscall !== undefined && codes.includes(code ?? "");
}

function fail(message: string, code: number): void {
  process.stderr.write(`slipway: ${message}\n`);
  process.exitCode = code;
}

function printConfig(args: readonly string[]): void {
  const { isJson, rest } = takeJsonFlag(args);
  const { entries } = readConfig(rest, process.env);
  const described = describeConfig(entries);
  if (isJson) process.stdout.write(`${JSON.stringify({ settings: described }, null, 2)}\n`);
  else
    for (const { name, value, from } of described)
      process.stdout.write(`${name.padEnd(22)} ${show(value).padEnd(24)} ${from}\n`);
}

/** `--json` is not a setting, so it is taken out before the settings are read. */
function takeJsonFlag(args: readonly string[]): { isJson: boolean; rest: readonly string[] } {
  return { isJson: args.includes("--json"), rest: args.filter((arg) => arg !== "--json") };
}

function show(value: unknown): string {
  return value === null ? "-" : Array.isArray(value) ? value.join(",") : String(value);
}

/** A worker and the plugins' commands have options of their own. */
async function helpOf(command: string): Promise<string> {
  if (command === "worker") return (await import("./worker/index.ts")).workerHelp;
  if (command === "service") return (await import("./commands/manage-service.ts")).serviceHelp;
  if (command === "backup" || command === "restore") return (await import("./backup/index.ts")).backupHelp;
  return command === "plugins" ? (await import("./commands/plugins.ts")).pluginsHelp : help(command);
}

function help(command: string): string {
  const rows = (settings as readonly Setting[]).map(({ name, flag, kind, default: byDefault, description }) => {
    const option = flag === undefined ? "" : `--${flag}${kind === "switch" ? "" : ` <${kind}>`}`;
    const usual = byDefault === undefined || byDefault === false ? "" : ` (default: ${show(byDefault)})`;
    return `  ${option.padEnd(24)} ${`SLIPWAY_${name.toUpperCase()}`.padEnd(30)} ${description}${usual}`;
  });
  const what =
    {
      serve: "Start the service. It prints one line when it is ready.",
      doctor:
        "Check whether this machine has what the service needs, and say how to get what is missing; --json: as JSON.",
      config: "Print the settings in effect, and where each comes from; --json: as JSON.",
      "admin-token": "Make a new administrator token and revoke the old ones; --json: as JSON, with the token.",
    }[command] ?? "";
  return `Usage: slipway ${command}${command === "admin-token" ? " rotate" : ""} [options]

${what}

Each setting has a variable and a line in the config file (SLIPWAY_PORT is port); some have a flag.
A flag wins over a variable, a variable over the config file:
${rows.join("\n")}
  ${"--config <file>".padEnd(24)} ${"SLIPWAY_CONFIG".padEnd(30)} Config file (default: slipway.yaml, if it exists)
`;
}
