import { isIP } from "node:net";
import { join, resolve } from "node:path";
import type { ContainerSettings } from "../deployment/index.ts";
import { ConfigError } from "../platform/errors/index.ts";
import type { TlsFiles } from "../platform/http/index.ts";
import { withoutEndSlashes } from "../platform/without-end-slashes.ts";
import { type ConfigEntry, type ConfigFile, readSettings } from "./read-settings.ts";
import type { settings } from "./settings.ts";

/** Everything that an operator can set, read once at the start. */
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
  /** Where people reach the service: for links in messages. */
  readonly publicUrl: string;
  readonly requestsPerMinute: number;
  /** Of all tokens and keys of a user together. */
  readonly requestsPerMinuteOfUser: number;
  readonly apiKeysPerUser: number;
  /** Where known weaknesses of packages are; undefined: dependencies are not scanned. */
  readonly securityAdvisories: string | undefined;
  readonly trustProxy: string | undefined;
  /** The service's own certificate; undefined: it speaks plain HTTP. */
  readonly tls: TlsFiles | undefined;
  readonly metricsToken: string | undefined;
  readonly masterKey: string | undefined;
  readonly logLevel: string | undefined;
  readonly sandbox: "auto" | "bubblewrap" | "none";
  readonly supervisor: "process" | "inside";
  readonly appsHost: string;
  readonly appDiskBytes: number;
  readonly packageCacheBytes: number;
  /** The ways to deploy that documents may ask for; the first is for those that ask for none. */
  readonly orchestrators: readonly string[];
  readonly containers: Pick<ContainerSettings, "engine" | "baseImages"> & {
    /** Whether Dockerfiles of projects are built; undefined: only while nobody else can use the service. */
    readonly allowsOwn: boolean | undefined;
  };
  /** Variables that documents may request as secrets; undefined: any, while nobody else can use the service. */
  readonly environmentSecrets: readonly string[] | undefined;
  /** Whether people may approve their own projects; undefined: only while there is one user. */
  readonly approvalsAllowSelf: boolean | undefined;
  readonly agents: Declared;
  /** Plugins that the operator allows. */
  readonly plugins: Declared;
  /** Jira instances that documents may use. */
  readonly jira: Declared;
  /** Secret providers that documents may name, beside those that every service has. */
  readonly secretProviders: Declared;
  /** The cluster that documents may be deployed to. */
  readonly kubernetes: Declared;
  /** The machines that documents may be deployed to. */
  readonly ssh: Declared;
  /** Providers that people sign in with. */
  readonly oauth: Declared;
  /** Which CI jobs get keys. */
  readonly federation: Declared;
  /** Where documents of applications may be fetched from. */
  readonly gitRemotes: Declared;
}

/** What the config file declares under a key, not checked yet, and the file. */
interface Declared {
  readonly declared: unknown;
  readonly file: string;
}

/** How artifacts are stored; undefined: unlimited. */
export interface ArtifactSettings {
  readonly projectQuota: number | undefined;
  readonly totalQuota: number | undefined;
  readonly retentionDays: number | undefined;
  readonly retentionCount: number | undefined;
  /** For an upload in pieces. */
  readonly maxUploadBytes: number;
  /** Undefined: artifacts are in the folder. */
  readonly s3: S3Settings | undefined;
}

/** A bucket for artifacts. */
interface S3Settings {
  readonly bucket: string;
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly prefix: string;
  readonly isPathStyle: boolean;
  /** Undefined: AWS's usual credential chain. */
  readonly key: { readonly id: string; readonly secret: string } | undefined;
}

/** Reads flags, variables and the config file. */
export function readConfig(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): { config: Config; entries: readonly ConfigEntry[] } {
  const { entries, file } = readSettings(args, env);
  const values = Object.fromEntries(entries.map(({ name, value }) => [name, value])) as Values;
  checkProxies(values.trust_proxy);
  checkNetworks(values.webhook_networks ?? []);
  const tls = tlsFiles(values.tls_certificate, values.tls_key);
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
    publicUrl: publicUrl(values.public_url, values.host, values.port, tls !== undefined),
    requestsPerMinute: values.requests_per_minute,
    requestsPerMinuteOfUser: values.requests_per_minute_of_user ?? 5 * values.requests_per_minute,
    apiKeysPerUser: values.api_keys_per_user,
    securityAdvisories: values.security_advisories,
    trustProxy: values.trust_proxy,
    tls,
    metricsToken: values.metrics_token,
    masterKey: values.master_key,
    logLevel: values.log_level,
    sandbox: values.sandbox,
    supervisor: values.supervisor,
    appsHost: values.apps_host,
    appDiskBytes: values.app_disk_gb * 2 ** 30,
    packageCacheBytes: values.package_cache_gb * 2 ** 30,
    orchestrators: values.orchestrators,
    containers: {
      engine: values.container_engine,
      baseImages: baseImages(values.container_base_images),
      allowsOwn: values.container_project_files,
    },
    approvalsAllowSelf: values.approvals_allow_self,
    environmentSecrets: values.environment_secrets,
    agents: declaredIn(file, "agents"),
    plugins: declaredIn(file, "plugins"),
    jira: declaredIn(file, "jira"),
    secretProviders: declaredIn(file, "secret_providers"),
    kubernetes: declaredIn(file, "kubernetes"),
    ssh: declaredIn(file, "ssh"),
    oauth: declaredIn(file, "oauth"),
    federation: declaredIn(file, "federation"),
    gitRemotes: declaredIn(file, "git_remotes"),
  };
  return { config, entries };
}

/** As `node=docker.io/library/node:24-slim`. */
function baseImages(entries: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.map((entry) => {
      // Nothing but a name: it becomes a line of a file that is built.
      const [, language, image] = /^(node|python)=([\w./:@-]+)$/.exec(entry) ?? [];
      if (language === undefined || image === undefined)
        throw new ConfigError("container_base_images must be entries such as 'node=docker.io/library/node:24-slim'.");
      return [language, image];
    }),
  );
}

function declaredIn(file: ConfigFile | undefined, key: string): Declared {
  return { declared: file?.values[key], file: file?.path ?? "" };
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

/** Checks a comma-separated list of addresses, networks, or the HTTP framework's names for them. */
function checkProxies(list: string | undefined): void {
  const isProxy = (entry: string) =>
    ["loopback", "linklocal", "uniquelocal"].includes(entry) || isIP(entry.replace(/\/\d{1,3}$/, "")) !== 0;
  if (list === undefined || list.split(",").every((entry) => isProxy(entry.trim()))) return;
  throw new ConfigError(
    "trust_proxy must list addresses or networks, such as '10.0.0.1, 192.168.0.0/16' or 'loopback'.",
  );
}

function tlsFiles(certificate: string | undefined, key: string | undefined): TlsFiles | undefined {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw new ConfigError("tls_certificate and tls_key belong together: set both, or neither.");
  return { certificate: resolve(certificate), key: resolve(key) };
}

function publicUrl(written: string | undefined, host: string, port: number, isTls: boolean): string {
  if (written === undefined) return `${isTls ? "https" : "http"}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  if (URL.canParse(written) && /^https?:$/.test(new URL(written).protocol)) return withoutEndSlashes(written);
  throw new ConfigError("public_url must be an address, such as 'https://slipway.example.com'.");
}

function checkNetworks(networks: readonly string[]): void {
  const isNetwork = (entry: string) => {
    const [address = "", bits = "", ...rest] = entry.split("/");
    const maxBits = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1;
    return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits;
  };
  if (networks.every(isNetwork)) return;
  throw new ConfigError("webhook_networks must list networks, such as '10.1.0.0/16, fd00:1::/32'.");
}
