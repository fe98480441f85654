import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { ConfigError } from "../../platform/errors/index.ts";
import { type ConfigEntry, readSettings } from "../read-settings.ts";
import { type Setting, settings } from "../settings.ts";
import { systemdUnit } from "./systemd-unit.ts";

/** The unit, and how to install it. */
export interface ServiceUnit {
  readonly unit: string;
  readonly file: string;
  readonly commands: readonly string[];
  readonly environment_file: string;
  /** Those that are set here: the unit does not see them unless they are in that file. */
  readonly variables: readonly string[];
}

interface Installed {
  /** `--user` first, if the user's own systemd is meant; the rest are options of 'slipway serve'. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly node?: string;
  readonly program?: string;
  readonly user?: string;
  readonly workingFolder?: string;
}

/** Where the unit and its variables are, and how systemd is called for it. */
export function placesOf(isOfUser: boolean, env: NodeJS.ProcessEnv) {
  if (!isOfUser)
    return {
      file: "/etc/systemd/system/slipway.service",
      environmentFile: "/etc/slipway.env",
      systemctl: ["systemctl"],
    };
  const folder = env["XDG_CONFIG_HOME"] || join(env["HOME"] || userInfo().homedir, ".config");
  return {
    file: join(folder, "systemd/user/slipway.service"),
    environmentFile: join(folder, "slipway.env"),
    systemctl: ["systemctl", "--user"],
  };
}

/** Makes the unit for a service with these options; refuses what `slipway serve` would refuse. */
export function planService(installed: Installed): ServiceUnit {
  const { env, node = process.execPath, program = process.argv[1] ?? "" } = installed;
  // Not as root only because root has to install it.
  const { user = env["SUDO_USER"] || userInfo().username, workingFolder = process.cwd() } = installed;
  const isOfUser = installed.args.includes("--user");
  const args = installed.args.filter((arg) => arg !== "--user");
  const { file: unitFile, environmentFile, systemctl } = placesOf(isOfUser, env);
  const { entries, file } = readSettings(args, env);
  const dataFolder = resolve(workingFolder, String(entries.find(({ name }) => name === "data")!.value));
  const config =
    args.some((arg) => /^--config(=|$)/.test(arg)) && file !== undefined
      ? ["--config", resolve(workingFolder, file.path)]
      : [];
  const serveArgs = ["--data", dataFolder, ...config, ...entries.flatMap(flagOf)];
  const words = [node, program, user, workingFolder, environmentFile, ...serveArgs];
  // A line of a unit cannot hold them.
  if (words.some((word) => /[\n\r\0]/.test(word)))
    throw new ConfigError("A path or an option contains a line break, which a systemd unit cannot hold.");
  // Outside of quotes, it would join the next line to this one.
  if ([user, workingFolder, environmentFile].some((word) => word.endsWith("\\")))
    throw new ConfigError("The folder or the user ends with a backslash, which a systemd unit cannot hold.");
  const owner = isOfUser ? undefined : user;
  const optionWords = [...(isOfUser ? ["--user"] : []), ...args].map(shellWord).join(" ");
  const asRoot = isOfUser ? "" : "sudo ";
  return {
    unit: systemdUnit({ node, program, args: serveArgs, user: owner, workingFolder, dataFolder, environmentFile }),
    file: unitFile,
    commands: [
      `slipway service install --print ${optionWords}`.trimEnd().concat(` | ${asRoot}tee ${shellWord(unitFile)}`),
      `${asRoot}${systemctl.join(" ")} daemon-reload`,
      `${asRoot}${systemctl.join(" ")} enable --now slipway`,
    ],
    environment_file: environmentFile,
    variables: Object.keys(env)
      .filter((name) => name.startsWith("SLIPWAY_") && !own.includes(name))
      .sort(),
  };
}

/** Told by the launcher, or written into the unit. */
const own = ["SLIPWAY_LAUNCHED", "SLIPWAY_DATA"];

/** `slipway service install --print`: the unit on standard output, what to do with it on standard error. */
export function printService(args: readonly string[], { isJson }: { readonly isJson: boolean }): void {
  const planned = planService({ args, env: process.env });
  if (isJson) return void process.stdout.write(`${JSON.stringify(planned, null, 2)}\n`);
  process.stdout.write(planned.unit);
  const commands = planned.commands.map((command) => `  ${command}\n`).join("");
  process.stderr.write(`\nTo install it:\n${commands}${variablesNote(planned)}`);
}

/** What of this shell the unit does not see. */
export function variablesNote({ variables, environment_file }: ServiceUnit): string {
  if (variables.length === 0) return "";
  return `\nThe unit does not see variables of this shell. Put them into ${environment_file}: ${variables.join(", ")}\n`;
}

function flagOf({ name, value, from }: ConfigEntry): string[] {
  const { flag, kind } = (settings as readonly Setting[]).find((setting) => setting.name === name)!;
  if (flag === undefined || flag === "data" || from !== `--${flag}`) return [];
  if (kind === "switch") return value === true ? [`--${flag}`] : [];
  return [`--${flag}`, Array.isArray(value) ? value.join(",") : String(value)];
}

function shellWord(word: string): string {
  return /^[\w./:=@,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
