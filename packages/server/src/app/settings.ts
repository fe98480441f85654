/** What an operator can set. Each by a flag, a variable or a line of the config file, in this order of precedence. */
export interface Setting {
  /** Its name in the config file; the variable is SLIPWAY_ and the same in capitals. */
  readonly name: string;
  /** Its flag, if it has one. */
  readonly flag?: string;
  readonly kind: "text" | "number" | "switch" | "words";
  readonly default?: string | number | boolean | readonly string[];
  readonly words?: readonly string[];
  readonly range?: readonly [least: number, most: number];
  readonly isSecret?: true;
  readonly description: string;
}

export const settings = [
  { name: "host", flag: "host", kind: "text", default: "127.0.0.1", description: "address to listen on" },
  {
    name: "port",
    flag: "port",
    kind: "number",
    default: 4700,
    range: [0, 65_535],
    description: "port to listen on; 0 takes a free one",
  },
  { name: "data", flag: "data", kind: "text", default: ".slipway", description: "folder for everything that is kept" },
  {
    name: "roles",
    flag: "roles",
    kind: "words",
    default: ["api", "worker"],
    words: ["api", "worker"],
    description: "what this node does, separated by commas",
  },
  {
    name: "database_url",
    kind: "text",
    isSecret: true,
    description: "a Postgres of your own (15 or newer) instead of the embedded one",
  },
  {
    name: "artifacts",
    kind: "text",
    description: "folder for artifacts, the same for all nodes; without it, artifacts in the data folder",
  },
  {
    name: "artifact_store",
    kind: "text",
    default: "folder",
    words: ["folder", "s3"],
    description: "where artifacts are kept: in the folder, or in a bucket of a service that speaks S3",
  },
  { name: "s3_bucket", kind: "text", description: "the bucket for artifacts; it must exist" },
  { name: "s3_endpoint", kind: "text", description: "address of the S3 service; without it, AWS" },
  { name: "s3_region", kind: "text", default: "us-east-1", description: "the bucket's region" },
  { name: "s3_prefix", kind: "text", default: "slipway/", description: "what the names of all objects begin with" },
  {
    name: "s3_path_style",
    kind: "switch",
    default: false,
    description: "the bucket stands in the path, not in the host name; most services but AWS want that",
  },
  {
    name: "s3_access_key_id",
    kind: "text",
    isSecret: true,
    description: "the key for S3; without it, as AWS's own tools find it",
  },
  { name: "s3_secret_access_key", kind: "text", isSecret: true, description: "the secret that belongs to it" },
  {
    name: "artifact_quota_project",
    kind: "number",
    default: 0,
    range: [0, Number.MAX_SAFE_INTEGER],
    description: "how many bytes of artifacts a project may have; 0: as many as there is room for",
  },
  {
    name: "artifact_quota_total",
    kind: "number",
    default: 0,
    range: [0, Number.MAX_SAFE_INTEGER],
    description: "how many bytes all artifacts may have together; 0: as many as there is room for",
  },
  {
    name: "artifact_retention_days",
    kind: "number",
    default: 0,
    range: [0, 36_500],
    description: "after how many days checkpoints go, with their artifacts; 0: never",
  },
  {
    name: "artifact_retention_count",
    kind: "number",
    default: 0,
    range: [0, 1_000_000],
    description: "how many checkpoints of a project stay, with their artifacts; 0: all",
  },
  {
    name: "largest_upload",
    kind: "number",
    default: 5 * 1024 ** 3,
    range: [1, 5 * 1024 ** 4],
    description: "how many bytes an upload in pieces may have",
  },
  {
    name: "allow_local_webhooks",
    flag: "allow-local-webhooks",
    kind: "switch",
    default: false,
    description: "let webhooks go to this machine",
  },
  {
    name: "webhook_networks",
    kind: "words",
    description: "networks beyond the public ones that webhooks may go to, such as 10.1.0.0/16, separated by commas",
  },
  {
    name: "public_url",
    kind: "text",
    description:
      "where people reach the service, for links in messages and tickets, such as https://slipway.example.com",
  },
  {
    name: "requests_per_minute",
    kind: "number",
    default: 600,
    range: [1, 1_000_000],
    description: "how many requests each user or API key may make a minute",
  },
  { name: "trust_proxy", kind: "text", description: "addresses of proxies whose X-Forwarded-For is believed" },
  { name: "metrics_token", kind: "text", isSecret: true, description: "a token with which /metrics may be read" },
  {
    name: "master_key",
    kind: "text",
    isSecret: true,
    description: "the keys that sign and encrypt, instead of the file in the data folder",
  },
  {
    name: "sandbox",
    kind: "text",
    default: "auto",
    words: ["auto", "bubblewrap", "none"],
    description: "how agents and scripts are contained; auto: by bubblewrap where it is installed",
  },
  {
    name: "environment_secrets",
    kind: "words",
    description:
      "variables that documents may ask for as secrets, separated by commas; without it, any while nobody else can use the service",
  },
  {
    name: "approvals_allow_self",
    kind: "switch",
    description: "whether who submitted a project may approve it; without it, while there is only one user",
  },
  {
    name: "log_level",
    kind: "text",
    words: ["debug", "info", "warn", "error", "silent"],
    description: "how much is logged; info, or warn on a terminal",
  },
] as const satisfies readonly Setting[];
