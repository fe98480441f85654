import { userInfo } from "node:os";
import { resolve } from "node:path";
import { ConfigError } from "../../platform/errors/index.ts";
import { type ConfigEntry, readSettings } from "../read-settings.ts";
import { type Setting, settings } from "../settings.ts";
import { systemdUnit } from "./systemd-unit.ts";

export const serviceHelp = `Usage: slipway service install [--json] [options of 'slipway serve']

Print a systemd unit that starts the service with these options after each boot, and say how to install it. The unit runs
the service as the user who calls this, in this folder; it contains no secrets.

Example: slipway service install --data /var/lib/slipway --port 4700
`;

const unitFile = "/etc/systemd/system/slipway.service";
const environmentFile = "/etc/slipway.env";

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
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly node?: string;
  readonly program?: string;
  readonly user?: string;
  readonly workingFolder?: string;
}

/** Makes the unit for a service with these options; refuses what `slipway serve` would refuse. */
export function planService(installed: Installed): ServiceUnit {
  const { args, env, node = process.execPath, program = process.argv[1] ?? "" } = installed;
  const { user = userInfo().username, workingFolder = process.cwd() } = installed;
  const { entries, file } = readSettings(args, env);
  const dataFolder = resolve(workingFolder, String(entries.find(({ name }) => name === "data")!.value));
  const config =
    args.some((arg) => /^--config(=|$)/.test(arg)) && file !== undefined
      ? ["--config", resolve(workingFolder, file.path)]
      : [];
  const serveArgs = ["--data", dataFolder, ...config, ...entries.flatMap(flagOf)];
  const words = [node, program, user, workingFolder, ...serveArgs];
  // A line of a unit cannot hold them.
  if (words.some((word) => /[\n\r\0]/.test(word)))
    throw new ConfigError("A path or an option contains a line break, which a systemd unit cannot hold.");
  return {
    unit: systemdUnit({ node, program, args: serveArgs, user, workingFolder, dataFolder, environmentFile }),
    file: unitFile,
    commands: [
      `slipway service install ${[...args].map(shellWord).join(" ")}`.trimEnd().concat(` | sudo tee ${unitFile}`),
      "sudo systemctl daemon-reload",
      "sudo systemctl enable --now slipway",
    ],
    environment_file: environmentFile,
    variables: Object.keys(env)
      .filter((name) => name.startsWith("SLIPWAY_") && !own.includes(name))
      .sort(),
  };
}

/** Told by the launcher, or written into the unit. */
const own = ["SLIPWAY_LAUNCHED", "SLIPWAY_DATA"];

/** `slipway service install`: the unit on standard output, what to do with it on standard error. */
export function printService(args: readonly string[], { isJson }: { readonly isJson: boolean }): void {
  const planned = planService({ args, env: process.env });
  if (isJson) return void process.stdout.write(`${JSON.stringify(planned, null, 2)}\n`);
  process.stdout.write(planned.unit);
  const { variables, commands } = planned;
  const noted =
    variables.length === 0
      ? ""
      : `\nThe unit does not see variables of this shell. Put them into ${environmentFile}: ${variables.join(", ")}\n`;
  process.stderr.write(`\nTo install it:\n${commands.map((command) => `  ${command}\n`).join("")}${noted}`);
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
