import { ConfigError } from "../../platform/errors/index.ts";
import { FieldReader } from "../../platform/field-reader.ts";

/** The cluster that documents may deploy to, in `kubernetes` of the config file. */
export interface KubernetesSettings {
  /** Undefined: the service runs inside the cluster. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string;
  /** The image of a version, with `{application}`, `{deployment}`, `{environment}` and `{version}`. */
  readonly image: string;
  /** Whether the service builds images, or somebody else pushes them. */
  readonly images: "build" | "given";
  /** How the registry is asked. */
  readonly registry: "https" | "http";
  readonly imagePullSecret: string | undefined;
  /** Undefined: applications are reached inside the cluster only. */
  readonly ingress: IngressSettings | undefined;
  /** Undefined: what a program writes to its data folder ends with its pod. */
  readonly storage: StorageSettings | undefined;
  /** Undefined: the number of copies is the one that people ask for. */
  readonly autoscale: AutoscaleSettings | undefined;
  readonly runAsUser: number | undefined;
}

interface IngressSettings {
  /** The host name of a deployment, with the same places as `image`. */
  readonly host: string;
  readonly className: string | undefined;
  /** The certificate for the hosts; undefined: plain HTTP, or the controller's own. */
  readonly tlsSecret: string | undefined;
}

interface StorageSettings {
  readonly size: string;
  readonly className: string | undefined;
  readonly access: "ReadWriteOnce" | "ReadWriteMany";
}

interface AutoscaleSettings {
  readonly maxReplicas: number;
  readonly cpuPercent: number;
}

const keys = [
  ...["kubeconfig", "context", "namespace", "image", "images", "registry", "image_pull_secret"],
  ...["ingress", "storage", "autoscale", "run_as_user"],
];
const label = {
  pattern: /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  form: "a name of lower-case letters, digits and dashes",
};
const subdomain = {
  pattern: /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/,
  form: "a name of lower-case letters, digits, dots and dashes",
};
const place = String.raw`\{(application|deployment|environment|version)\}`;
const imageForm = {
  pattern: new RegExp(`^([a-z0-9._:/-]|${place})+:([A-Za-z0-9._-]|${place})+$`),
  form: "an image with a tag, such as 'registry.example/{application}:{version}'",
};
const hostForm = {
  pattern: /^([a-z0-9.-]|\{(application|deployment|environment)\})+$/,
  form: "a host name with places, such as '{application}.apps.example'",
};

/** Reads `kubernetes` of the config file; undefined if it is not there. Throws a ConfigError with every problem. */
export function readKubernetesSettings(declared: unknown, file: string): KubernetesSettings | undefined {
  if (declared === undefined || declared === null) return undefined;
  const problems: string[] = [];
  const fields = new FieldReader(declared, { path: "kubernetes", file }, problems);
  fields.onlyKeys(keys, "kubernetes");
  const settings = {
    kubeconfig: fields.text("kubeconfig", { pattern: /^\//, form: "an absolute path" }),
    context: fields.text("context"),
    namespace: fields.text("namespace", { isRequired: true, ...label }) ?? "",
    image: fields.text("image", { isRequired: true, ...imageForm }) ?? "",
    images: fields.word("images", ["build", "given"]) ?? "build",
    registry: fields.word("registry", ["https", "http"]) ?? "https",
    imagePullSecret: fields.text("image_pull_secret", subdomain),
    ingress: fields.has("ingress") ? readIngress(fields.nested("ingress")) : undefined,
    storage: fields.has("storage") ? readStorage(fields.nested("storage")) : undefined,
    autoscale: fields.has("autoscale") ? readAutoscale(fields.nested("autoscale")) : undefined,
    runAsUser: fields.number("run_as_user", { min: 1, max: 2 ** 31 - 1, isWhole: true }),
  };
  // Without either, two versions would have the same image.
  if (settings.image !== "" && !settings.image.includes("{version}"))
    fields.problem("image", "must contain '{version}': each version has an image of its own.");
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return settings;
}

function readIngress(fields: FieldReader): IngressSettings {
  fields.onlyKeys(["host", "class", "tls_secret"], "kubernetes.ingress");
  const host = fields.text("host", { isRequired: true, ...hostForm }) ?? "";
  if (host !== "" && !/\{(application|deployment)\}/.test(host))
    fields.problem("host", "must contain '{application}' or '{deployment}': each deployment has a host of its own.");
  return { host, className: fields.text("class", subdomain), tlsSecret: fields.text("tls_secret", subdomain) };
}

function readStorage(fields: FieldReader): StorageSettings {
  fields.onlyKeys(["size", "class", "access"], "kubernetes.storage");
  return {
    size: fields.text("size", { isRequired: true, pattern: /^\d+(Mi|Gi|Ti)$/, form: "a size such as '10Gi'" }) ?? "",
    className: fields.text("class", subdomain),
    access: fields.word("access", ["ReadWriteOnce", "ReadWriteMany"]) ?? "ReadWriteOnce",
  };
}

function readAutoscale(fields: FieldReader): AutoscaleSettings {
  fields.onlyKeys(["max_replicas", "cpu_percent"], "kubernetes.autoscale");
  const maxReplicas = fields.number("max_replicas", { min: 2, max: 100, isWhole: true });
  if (maxReplicas === undefined && !fields.has("max_replicas")) fields.problem("max_replicas", "is missing.");
  return {
    maxReplicas: maxReplicas ?? 2,
    cpuPercent: fields.number("cpu_percent", { min: 1, max: 100, isWhole: true }) ?? 70,
  };
}
