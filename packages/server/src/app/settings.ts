/** A setting of the service. A flag wins over a variable, a variable over a line of the config file. */
export interface Setting {
  /** Its key in the config file; the variable is SLIPWAY_ and the key in capitals. */
  readonly name: string;
  /** Its flag, if it has one. */
  readonly flag?: string;
  readonly kind: "text" | "number" | "switch" | "list";
  readonly default?: string | number | boolean | readonly string[];
  /** The only values that a text, or an entry of a list, may have. */
  readonly allowed?: readonly string[];
  readonly range?: readonly [min: number, max: number];
  readonly isSecret?: true;
  readonly description: string;
}

/** Every setting of the service. */
export const settings = [
  { name: "host", flag: "host", kind: "text", default: "127.0.0.1", description: "Address to listen on" },
  {
    name: "port",
    flag: "port",
    kind: "number",
    default: 4700,
    range: [0, 65_535],
    description: "Port to listen on; 0 picks a free one",
  },
  {
    name: "tls_certificate",
    kind: "text",
    description: "PEM file of the service's certificate with its chain; with tls_key the service speaks https",
  },
  {
    name: "tls_key",
    kind: "text",
    description: "PEM file of the certificate's key; both are read again when they change",
  },
  {
    name: "data",
    flag: "data",
    kind: "text",
    default: ".slipway",
    description: "Folder for the database, artifacts and keys",
  },
  {
    name: "roles",
    flag: "roles",
    kind: "list",
    default: ["api", "worker"],
    allowed: ["api", "worker"],
    description: "What this node does, comma-separated: api, worker",
  },
  {
    name: "database_url",
    kind: "text",
    isSecret: true,
    description: "URL of your own Postgres (15 or newer); default: the embedded one",
  },
  {
    name: "artifacts",
    kind: "text",
    description: "Folder for artifacts, shared by all nodes; default: artifacts in the data folder",
  },
  {
    name: "artifact_store",
    kind: "text",
    default: "folder",
    allowed: ["folder", "s3"],
    description: "Where to store artifacts: folder, or s3 for an S3-compatible bucket",
  },
  { name: "s3_bucket", kind: "text", description: "Bucket for artifacts; must exist" },
  { name: "s3_endpoint", kind: "text", description: "Address of the S3 service; default: AWS" },
  { name: "s3_region", kind: "text", default: "us-east-1", description: "Region of the bucket" },
  { name: "s3_prefix", kind: "text", default: "slipway/", description: "Prefix of all object names" },
  {
    name: "s3_path_style",
    kind: "switch",
    default: false,
    description: "Put the bucket in the path instead of the host name; most services other than AWS need it",
  },
  {
    name: "s3_access_key_id",
    kind: "text",
    isSecret: true,
    description: "Access key for S3; default: AWS's usual credential chain",
  },
  { name: "s3_secret_access_key", kind: "text", isSecret: true, description: "Secret of that access key" },
  {
    name: "artifact_quota_project",
    kind: "number",
    default: 0,
    range: [0, Number.MAX_SAFE_INTEGER],
    description: "Maximum bytes of artifacts a project; 0: unlimited",
  },
  {
    name: "artifact_quota_total",
    kind: "number",
    default: 0,
    range: [0, Number.MAX_SAFE_INTEGER],
    description: "Maximum bytes of all artifacts together; 0: unlimited",
  },
  {
    name: "artifact_retention_days",
    kind: "number",
    default: 0,
    range: [0, 36_500],
    description: "Remove checkpoints and their artifacts after this many days; 0: never",
  },
  {
    name: "artifact_retention_count",
    kind: "number",
    default: 0,
    range: [0, 1_000_000],
    description: "Keep this many checkpoints a project, with their artifacts; 0: all",
  },
  {
    name: "max_upload_bytes",
    kind: "number",
    default: 5 * 1024 ** 3,
    range: [1, 5 * 1024 ** 4],
    description: "Maximum bytes of an upload in pieces",
  },
  {
    name: "allow_local_webhooks",
    flag: "allow-local-webhooks",
    kind: "switch",
    default: false,
    description: "Allow webhooks to this machine",
  },
  {
    name: "webhook_networks",
    kind: "list",
    description: "Private networks that webhooks may reach, comma-separated, such as 10.1.0.0/16",
  },
  {
    name: "public_url",
    kind: "text",
    description: "Public address of the service, for links in messages, such as https://slipway.example.com",
  },
  {
    name: "requests_per_minute",
    kind: "number",
    default: 600,
    range: [1, 1_000_000],
    description: "Maximum requests a minute for each API key, and for the tokens of each user",
  },
  {
    name: "requests_per_minute_of_user",
    kind: "number",
    range: [1, 5_000_000],
    description:
      "Maximum requests a minute for all tokens and API keys of a user together (default: five times requests_per_minute)",
  },
  {
    name: "security_advisories",
    kind: "text",
    description: "Known weaknesses of packages for the security scan: a folder or URL of an OSV export",
  },
  {
    name: "api_keys_per_user",
    kind: "number",
    default: 100,
    range: [1, 10_000],
    description: "Maximum API keys of a user",
  },
  { name: "trust_proxy", kind: "text", description: "Addresses of proxies whose X-Forwarded-For to trust" },
  { name: "metrics_token", kind: "text", isSecret: true, description: "Token that may read /metrics" },
  {
    name: "master_key",
    kind: "text",
    isSecret: true,
    description: "Keys that sign and encrypt; default: the file master-key in the data folder",
  },
  {
    name: "sandbox",
    kind: "text",
    default: "auto",
    allowed: ["auto", "bubblewrap", "none"],
    description: "How to sandbox agents and scripts; auto: bubblewrap where it works",
  },
  {
    name: "supervisor",
    kind: "text",
    default: "process",
    allowed: ["process", "inside"],
    description:
      "What keeps deployed software alive: a process of its own, which outlives the service, or the service itself (inside), unless one of its own keeps software alive already",
  },
  {
    name: "apps_host",
    kind: "text",
    default: "127.0.0.1",
    description: "Address that deployed software listens on, each at a port of its own",
  },
  {
    name: "app_disk_gb",
    kind: "number",
    default: 20,
    range: [1, 1_000_000],
    description: "Disk that the files and data of a deployment may take up, in GB; a program that exceeds it is ended",
  },
  {
    name: "package_cache_gb",
    kind: "number",
    default: 20,
    range: [1, 1_000_000],
    description:
      "Disk that the package caches of all projects may take up on this node, in GB; the least recently used are removed",
  },
  {
    name: "orchestrators",
    kind: "list",
    default: ["process", "container"],
    allowed: ["process", "container"],
    description:
      "Ways to deploy that documents may ask for, comma-separated; the first is for documents that ask for none",
  },
  {
    name: "container_engine",
    kind: "list",
    description:
      "Program that runs containers and its first arguments, comma-separated; default: podman or docker, whichever works",
  },
  {
    name: "container_base_images",
    kind: "list",
    default: ["node=docker.io/library/node:24-slim", "python=docker.io/library/python:3.13-slim"],
    description: "Images that results without a Dockerfile are put into, comma-separated, as language=image",
  },
  {
    name: "container_project_files",
    kind: "switch",
    description:
      "Build images by the Dockerfiles of projects, whose lines run with the engine's rights; default: only while there is one user",
  },
  {
    name: "environment_secrets",
    kind: "list",
    description:
      "Variables that documents may request as secrets, comma-separated; default: any, while the service listens on this machine only and has one user",
  },
  {
    name: "approvals_allow_self",
    kind: "switch",
    description: "Let people approve their own projects; default: only while there is one user",
  },
  {
    name: "log_level",
    kind: "text",
    allowed: ["debug", "info", "warn", "error", "silent"],
    description: "Log level; default: info, or warn on a terminal",
  },
] as const satisfies readonly Setting[];
