import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { ConfigError } from "../platform/errors/index.ts";
import { type Setting, settings } from "./settings.ts";

/** Everything that an operator can decide, read once. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Absolute. */
  readonly dataFolder: string;
  readonly roles: readonly string[];
  /** Absolute. */
  readonly artifactsFolder: string;
  readonly artifacts: ArtifactSettings;
  readonly databaseUrl: string | undefined;
  readonly allowLocalWebhooks: boolean;
  /** As `10.1.0.0/16`. */
  readonly webhookNetworks: readonly string[];
  /** Where people reach the service: for links in what others are told. */
  readonly publicUrl: string;
  readonly requestsPerMinute: number;
  readonly trustProxy: string | undefined;
  readonly metricsToken: string | undefined;
  readonly masterKey: string | undefined;
  readonly logLevel: string | undefined;
  readonly sandbox: "auto" | "bubblewrap" | "none";
  /** Variables that documents may ask for; undefined: any, while nobody else can use the service. */
  readonly environmentSecrets: readonly string[] | undefined;
  /** Undefined: while there is only one user. */
  readonly approvalsAllowSelf: boolean | undefined;
  /** Agents as the config file declares them, not checked yet, and the file. */
  readonly agents: { readonly declared: unknown; readonly file: string };
  /** Plugins as the config file allows them, likewise. */
  readonly plugins: { readonly declared: unknown; readonly file: string };
  /** Jira instances that documents may use, likewise. */
  readonly jira: { readonly declared: unknown; readonly file: string };
}

/** How artifacts are kept; undefined: without that limit. */
export interface ArtifactSettings {
  readonly projectQuota: number | undefined;
  readonly totalQuota: number | undefined;
  readonly retentionDays: number | undefined;
  readonly retentionCount: number | undefined;
  readonly maxUploadBytes: number;
  /** Undefined: in the folder. */
  readonly s3: S3Settings | undefined;
}

/** A bucket for artifacts. */
interface S3Settings {
  readonly bucket: string;
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly prefix: string;
  readonly isPathStyle: boolean;
  /** Undefined: as AWS's own tools find it. */
  readonly key: { readonly id: string; readonly secret: string } | undefined;
}

/** A setting's value and where it comes from. */
export interface ConfigEntry {
  readonly name: string;
  readonly value: unknown;
  readonly from: string;
  readonly isSecret: boolean;
}

const defaultFile = "slipway.yaml";

/** Keys of the config file that are no settings, but lists of what is there. */
const listKeys = ["agents", "plugins", "jira"];

/** Reads flags, variables and the config file. */
export function readConfig(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): { config: Config; entries: readonly ConfigEntry[] } {
  const flags = readFlags(args);
  // An empty variable is none, as everywhere.
  const path = flags["config"] ?? (env["SLIPWAY_CONFIG"] || undefined);
  const file = readFile(typeof path === "string" ? path : undefined);
  const entries = settings.map((setting) => readSetting(setting, flags, env, file));
  const values = Object.fromEntries(entries.map(({ name, value }) => [name, value])) as Values;
  checkProxies(values.trust_proxy);
  checkNetworks(values.webhook_networks ?? []);
  const config: Config = {
    host: values.host,
    port: values.port,
    dataFolder: resolve(values.data),
    roles: values.roles,
    artifactsFolder: resolve(values.artifacts ?? join(values.data, "artifacts")),
    artifacts: {
      projectQuota: values.artifact_quota_project || undefined,
      totalQuota: values.artifact_quota_total || undefined,
      retentionDays: values.artifact_retention_days || undefined,
      retentionCount: values.artifact_retention_count || undefined,
      maxUploadBytes: values.max_upload_bytes,
      s3: s3Settings(values),
    },
    databaseUrl: values.database_url,
    allowLocalWebhooks: values.allow_local_webhooks,
    webhookNetworks: values.webhook_networks ?? [],
    publicUrl: publicUrl(values.public_url, values.host, values.port),
    requestsPerMinute: values.requests_per_minute,
    trustProxy: values.trust_proxy,
    metricsToken: values.metrics_token,
    masterKey: values.master_key,
    logLevel: values.log_level,
    sandbox: values.sandbox,
    approvalsAllowSelf: values.approvals_allow_self,
    environmentSecrets: values.environment_secrets,
    agents: { declared: file?.values["agents"], file: file?.path ?? "" },
    plugins: { declared: file?.values["plugins"], file: file?.path ?? "" },
    jira: { declared: file?.values["jira"], file: file?.path ?? "" },
  };
  return { config, entries };
}

type Values = Readonly<Record<(typeof settings)[number]["name"], never>>;

function s3Settings(values: Values): S3Settings | undefined {
  const {
    s3_bucket: bucket,
    s3_endpoint: endpoint,
    s3_access_key_id: id,
    s3_secret_access_key: secret,
  } = values as {
    readonly [name in keyof Values]: string | undefined;
  };
  if ((values.artifact_store as string) !== "s3") return undefined;
  if (bucket === undefined) throw new ConfigError("artifact_store is s3: s3_bucket must name the bucket.");
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ""))
    throw new ConfigError("s3_endpoint must be an address such as 'https://s3.example.org'.");
  if ((id === undefined) !== (secret === undefined))
    throw new ConfigError("s3_access_key_id and s3_secret_access_key belong together: set both, or neither.");
  return {
    bucket,
    endpoint,
    region: values.s3_region,
    prefix: values.s3_prefix,
    isPathStyle: values.s3_path_style,
    key: id === undefined || secret === undefined ? undefined : { id, secret },
  };
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

interface ConfigFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The file that was named, which must be there, or `slipway.yaml` if it is. */
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
    throw new ConfigError(`${path} is no YAML: ${(error as Error).message.split("\n")[0]}`);
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

/** Values are never shown in the message: they may be secret. */
function check({ kind, words, range }: Setting, value: unknown, from: string): unknown {
  switch (kind) {
    case "text": {
      if (typeof value !== "string" || value.trim() === "") throw new ConfigError(`${from} must be a text.`);
      if (words !== undefined && !words.includes(value))
        throw new ConfigError(`${from} must be one of ${words.join(", ")}.`);
      return value;
    }
    case "number": {
      const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
      const [least, most] = range ?? [0, Number.MAX_SAFE_INTEGER];
      if (typeof number === "number" && Number.isInteger(number) && number >= least && number <= most) return number;
      throw new ConfigError(`${from} must be a whole number from ${least} to ${most}.`);
    }
    case "switch": {
      if (typeof value === "boolean") return value;
      if (value === "true" || value === "1") return true;
      if (value === "false" || value === "0") return false;
      throw new ConfigError(`${from} must be true or false.`);
    }
    case "words": {
      const list: unknown[] =
        typeof value === "string"
          ? value.split(",").map((word) => word.trim())
          : Array.isArray(value)
            ? value
            : [value];
      const wrong = list.find((word) => typeof word !== "string" || words?.includes(word) === false);
      if (wrong !== undefined || list.length === 0)
        throw new ConfigError(
          `${from} must be one or more ${words === undefined ? "words" : `of ${words.join(", ")}`}.`,
        );
      return list;
    }
  }
}

/** Addresses, networks or the framework's names for them, separated by commas. */
function checkProxies(list: string | undefined): void {
  const isProxy = (entry: string) =>
    ["loopback", "linklocal", "uniquelocal"].includes(entry) || isIP(entry.replace(/\/\d{1,3}$/, "")) !== 0;
  if (list === undefined || list.split(",").every((entry) => isProxy(entry.trim()))) return;
  throw new ConfigError(
    "trust_proxy must list addresses or networks, such as '10.0.0.1, 192.168.0.0/16' or 'loopback'.",
  );
}

function publicUrl(written: string | undefined, host: string, port: number): string {
  if (written === undefined) return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  if (URL.canParse(written) && /^https?:$/.test(new URL(written).protocol)) return written.replace(/\/+$/, "");
  throw new ConfigError("public_url must be an address, such as 'https://slipway.example.com'.");
}

function checkNetworks(networks: readonly string[]): void {
  const isNetwork = (entry: string) => {
    const [address = "", bits = "", ...rest] = entry.split("/");
    const most = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1;
    return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
  };
  if (networks.every(isNetwork)) return;
  throw new ConfigError("webhook_networks must list networks, such as '10.1.0.0/16, fd00:1::/32'.");
}

/** The settings as they are, secrets masked: what `slipway config` prints. */
export function describeConfig(entries: readonly ConfigEntry[]): { name: string; value: unknown; from: string }[] {
  return entries.map(({ name, value, from, isSecret }) => ({
    name,
    value: value === undefined ? null : isSecret ? "********" : value,
    from,
  }));
}
