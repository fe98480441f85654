import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { ConfigError } from "../platform/errors/index.ts";
import { type Setting, settings } from "./settings.ts";

/** A setting's value and where it comes from. */
export interface ConfigEntry {
  readonly name: string;
  readonly value: unknown;
  readonly from: string;
  readonly isSecret: boolean;
}

const defaultFile = "slipway.yaml";

/** Keys of the config file that are not settings, but declare what there is: agents, plugins, targets and the like. */
const listKeys = [
  "agents",
  "plugins",
  "jira",
  "secret_providers",
  "git_remotes",
  "kubernetes",
  "ssh",
  "oauth",
  "federation",
];

/** The values of all settings, with where each comes from, and the config file if there is one. */
export interface ReadSettings {
  readonly entries: readonly ConfigEntry[];
  readonly file: ConfigFile | undefined;
}

/** Reads every setting from its flag, its variable or the config file, in this order. */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): ReadSettings {
  const flags = readFlags(args);
  // An empty variable counts as unset.
  const path = flags["config"] ?? (env["SLIPWAY_CONFIG"] || undefined);
  const file = readFile(typeof path === "string" ? path : undefined);
  return { entries: settings.map((setting) => readSetting(setting, flags, env, file)), file };
}

/** The settings in effect, secrets masked: what `slipway config` prints. */
export function describeConfig(entries: readonly ConfigEntry[]): { name: string; value: unknown; from: string }[] {
  return entries.map(({ name, value, from, isSecret }) => ({
    name,
    value: value === undefined ? null : isSecret ? "********" : value,
    from,
  }));
}

type Flags = Readonly<Record<string, string | boolean | undefined>>;

function readFlags(args: readonly string[]): Flags {
  const ofSettings = (settings as readonly Setting[]).flatMap(({ flag, kind }) =>
    flag === undefined ? [] : [[flag, { type: kind === "switch" ? "boolean" : "string" }] as const],
  );
  const options = Object.fromEntries([...ofSettings, ["config", { type: "string" }] as const]);
  try {
    return parseArgs({ args: [...args], options, strict: true }).values as Flags;
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

/** The config file as it was read. */
export interface ConfigFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The named file, which must exist, or `slipway.yaml` if it exists. */
function readFile(named: string | undefined): ConfigFile | undefined {
  const path = named ?? defaultFile;
  const values = parseFile(path, named !== undefined);
  if (values === undefined) return undefined;
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    throw new ConfigError(`${path} must hold settings as 'name: value' lines.`);
  }
  if ("spec_version" in values) {
    throw new ConfigError(`${path} is a specification document, not settings. Name the config file with --config.`);
  }
  const names = [...settings.map(({ name }) => String(name)), ...listKeys];
  const unknown = Object.keys(values).find((key) => !names.includes(key));
  if (unknown !== undefined) {
    throw new ConfigError(`${path}: there is no setting '${unknown}'. There are: ${names.join(", ")}.`);
  }
  return { path, values: values as Record<string, unknown> };
}

function parseFile(path: string, mustExist: boolean): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && !mustExist) return undefined;
    throw new ConfigError(`The config file ${path} cannot be read: ${(error as Error).message}.`);
  }
  try {
    return parse(text) ?? {};
  } catch (error) {
    throw new ConfigError(`${path} is not valid YAML: ${(error as Error).message.split("\n")[0]}`);
  }
}

function readSetting(
  setting: Setting,
  flags: Flags,
  env: NodeJS.ProcessEnv,
  file: ConfigFile | undefined,
): ConfigEntry {
  const variable = `SLIPWAY_${setting.name.toUpperCase()}`;
  const isSecret = setting.isSecret === true;
  const flag = setting.flag === undefined ? undefined : flags[setting.flag];
  const entry = (value: unknown, from: string): ConfigEntry => ({
    name: setting.name,
    value: check(setting, value, from),
    from,
    isSecret,
  });
  if (flag !== undefined) return entry(flag, `--${setting.flag}`);
  const written = env[variable];
  if (written !== undefined && written !== "") return entry(written, variable);
  if (file !== undefined && setting.name in file.values)
    return entry(file.values[setting.name], `${setting.name} in ${file.path}`);
  return { name: setting.name, value: setting.default, from: "default", isSecret };
}

/** Checks a value. The message never shows it: it may be secret. */
function check({ kind, allowed, range }: Setting, value: unknown, from: string): unknown {
  switch (kind) {
    case "text": {
      if (typeof value !== "string" || value.trim() === "") throw new ConfigError(`${from} must be a text.`);
      if (allowed !== undefined && !allowed.includes(value))
        throw new ConfigError(`${from} must be one of ${allowed.join(", ")}.`);
      return value;
    }
    case "number": {
      const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
      const [min, max] = range ?? [0, Number.MAX_SAFE_INTEGER];
      if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max) return number;
      throw new ConfigError(`${from} must be a whole number from ${min} to ${max}.`);
    }
    case "switch": {
      if (typeof value === "boolean") return value;
      if (value === "true" || value === "1") return true;
      if (value === "false" || value === "0") return false;
      throw new ConfigError(`${from} must be true or false.`);
    }
    case "list": {
      const list: unknown[] =
        typeof value === "string"
          ? value.split(",").map((word) => word.trim())
          : Array.isArray(value)
            ? value
            : [value];
      const wrong = list.find((word) => typeof word !== "string" || allowed?.includes(word) === false);
      if (wrong !== undefined || list.length === 0)
        throw new ConfigError(
          `${from} must be one or more ${allowed === undefined ? "words" : `of ${allowed.join(", ")}`}.`,
        );
      return list;
    }
  }
}
