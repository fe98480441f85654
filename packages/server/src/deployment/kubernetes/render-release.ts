import type { V1Container, V1PodTemplateSpec, V1Probe } from "@kubernetes/client-node";
import type { HealthCheck, ProgramPlan, ReleasePlan } from "../supervisor/index.ts";
import type { ClusterObject, Labels } from "./cluster.ts";
import type { KubernetesSettings } from "./kubernetes-settings.ts";
import { deploymentLabels, nameOf, own, programName, releaseLabels } from "./object-names.ts";

export interface ReleaseToRender {
  /** Names the node that looks after it. */
  readonly host: string;
  readonly deploymentId: string;
  readonly releaseId: string;
  readonly plan: ReleasePlan;
  readonly image: string;
  readonly settings: KubernetesSettings;
  /** The folder of each program, from the release's folder on. */
  readonly paths: readonly string[];
}

/** Where programs listen in their container, and where others reach them. */
export const containerPort = 8080;
export const servicePort = 80;
export const entryLabel = "entry";
const dataPath = "/data";
const graceSeconds = 30;
/** A pod that ends gets requests until every node knows: it answers them for so long. */
const drainSeconds = 5;

/** The objects of a version, each after those it needs; without its secrets. */
export function renderRelease(release: ReleaseToRender): ClusterObject[] {
  const { plan, settings } = release;
  return [
    ...(settings.storage === undefined ? [] : [dataOf(release)]),
    ...plan.programs.flatMap((program, index) => [
      configOf(release, program, index),
      serviceOf(release, program, index),
      deploymentOf(release, program, index),
    ]),
  ];
}

/** The secrets of a version. It is not among the rendered objects: those are kept as an artifact. */
export function renderSecret(
  { host, deploymentId, releaseId }: Pick<ReleaseToRender, "host" | "deploymentId" | "releaseId">,
  secrets: Readonly<Record<string, string>>,
): ClusterObject {
  const encoded = Object.entries(secrets).map(([name, value]) => [name, Buffer.from(value).toString("base64")]);
  const metadata = { name: nameOf(releaseId), labels: { ...releaseLabels(host, { deploymentId, releaseId }) } };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data: Object.fromEntries(encoded) };
}

interface ScriptOfRelease {
  readonly name: string;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/** A script of the document's, run once with what the version's programs have. */
export function renderJob(release: ReleaseToRender, script: ScriptOfRelease): ClusterObject & { readonly kind: "Job" } {
  const { name, command, env, limitMs } = script;
  const { releaseId } = release;
  const labels = { ...releaseLabels(release.host, release), [own.program]: name };
  const entry = release.plan.programs.length - 1;
  const template = templateOf(release, { labels, index: entry, command, path: "" });
  const [container] = template.spec!.containers as [V1Container];
  const usual = (container.env ?? []).filter((variable) => !(variable.name in env));
  const more = Object.entries(env).map(([key, value]) => ({ name: key, value }));
  const once = { ...container, env: [...usual, ...more] };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: jobName(releaseId, name), labels },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: Math.max(1, Math.ceil(limitMs / 1000)),
      ttlSecondsAfterFinished: 3600,
      template: { ...template, spec: { ...template.spec!, containers: [once], restartPolicy: "Never" } },
    },
  };
}

export function jobName(releaseId: string, script: string): string {
  return `${nameOf(releaseId)}-${nameOf(script)}`;
}

/** The program that gets the requests has the same label in every version, so that two can share an address. */
function programLabel({ programs }: ReleasePlan, index: number): string {
  return index === programs.length - 1 ? entryLabel : String(index);
}

function deploymentOf(release: ReleaseToRender, program: ProgramPlan, index: number): ClusterObject {
  const { host, plan, paths } = release;
  const isEntry = index === plan.programs.length - 1;
  const replicas = isEntry ? plan.replicas : 1;
  const labels = { ...releaseLabels(host, release), [own.program]: programLabel(plan, index) };
  const template = templateOf(release, { labels, index, command: program.command, path: paths[index]! });
  const [container] = template.spec!.containers as [V1Container];
  const kept = {
    ...container,
    ...probesOf(program.health),
    lifecycle: { preStop: { sleep: { seconds: drainSeconds } } },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: programName(release.releaseId, index, program.name),
      labels,
      annotations: { [own.name]: program.name, [own.replicas]: String(replicas) },
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      // Never less than wanted: a restart drops nothing.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      progressDeadlineSeconds: Math.ceil(program.health.readyWithinMs / 1000) + 60,
      template: { ...template, spec: { ...template.spec!, containers: [kept] } },
    },
  };
}

interface TemplateOptions {
  readonly labels: Labels;
  readonly index: number;
  readonly command: string;
  /** From the image's folder on. */
  readonly path: string;
}

function templateOf(release: ReleaseToRender, { labels, index, command, path }: TemplateOptions): V1PodTemplateSpec {
  const { plan, settings, image, deploymentId, releaseId } = release;
  const { imagePullSecret, runAsUser, storage } = settings;
  const program = plan.programs[index]!;
  const container: V1Container = {
    name: "program",
    image,
    imagePullPolicy: "IfNotPresent",
    // The folder is a word of its own, whatever it contains; the command is the document's, as a shell reads it.
    command: ["sh", "-c", 'cd -- "$1" && exec sh -c "$2"', "slipway", path === "" ? "." : path, command],
    ports: [{ name: "http", containerPort }],
    envFrom: [
      { configMapRef: { name: programName(releaseId, index, program.name) } },
      { secretRef: { name: nameOf(releaseId), optional: true } },
    ],
    env: [
      { name: "PORT", value: String(containerPort) },
      { name: "HOST", value: "0.0.0.0" },
    ],
    resources: resourcesOf(plan),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      seccompProfile: { type: "RuntimeDefault" },
    },
    volumeMounts: [{ name: "data", mountPath: dataPath }],
  };
  const data =
    storage === undefined
      ? { name: "data", emptyDir: { sizeLimit: String(plan.limits.diskBytes) } }
      : { name: "data", persistentVolumeClaim: { claimName: `${nameOf(deploymentId)}-data` } };
  return {
    metadata: { labels: { ...labels } },
    spec: {
      containers: [container],
      volumes: [data],
      terminationGracePeriodSeconds: graceSeconds + drainSeconds,
      // A program of a document has no business with the cluster's API.
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(imagePullSecret !== undefined && { imagePullSecrets: [{ name: imagePullSecret }] }),
      ...(runAsUser !== undefined && { securityContext: { runAsUser, runAsNonRoot: true, fsGroup: runAsUser } }),
    },
  };
}

function resourcesOf({ limits }: ReleasePlan) {
  const cpu = `${Math.max(1, Math.round(limits.cpuCores * 1000))}m`;
  const memory = String(limits.memoryBytes);
  return {
    limits: { cpu, memory, "ephemeral-storage": String(limits.diskBytes) },
    requests: { cpu: `${Math.max(1, Math.round(limits.cpuCores * 100))}m`, memory },
  };
}

/** A probe takes 200 to 399 for well. Where another answer is wanted, or any, it asks whether the program listens. */
function probesOf(health: HealthCheck): { startupProbe: V1Probe; readinessProbe: V1Probe; livenessProbe: V1Probe } {
  const { path, status = 0, readyWithinMs, maxErrors, everyMs, withinMs } = health;
  const asks =
    status >= 200 && status < 400 ? { httpGet: { path, port: containerPort } } : { tcpSocket: { port: containerPort } };
  const timeoutSeconds = seconds(withinMs);
  const usual = { ...asks, timeoutSeconds, periodSeconds: seconds(everyMs) };
  return {
    startupProbe: { ...asks, timeoutSeconds, periodSeconds: 1, failureThreshold: seconds(readyWithinMs) },
    readinessProbe: { ...usual, failureThreshold: maxErrors },
    livenessProbe: { ...usual, failureThreshold: maxErrors },
  };
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

function configOf(release: ReleaseToRender, program: ProgramPlan, index: number): ClusterObject {
  const { plan, host, releaseId } = release;
  const addresses = plan.programs.flatMap(({ name, addressVariable }, at) =>
    addressVariable === undefined || at === index
      ? []
      : [[addressVariable, `http://${programName(releaseId, at, name)}:${servicePort}`]],
  );
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: programName(releaseId, index, program.name), labels: { ...releaseLabels(host, release) } },
    data: { ...program.env, ...Object.fromEntries(addresses), SLIPWAY_DATA_DIR: dataPath },
  };
}

/** Where the other programs of the version reach this one. */
function serviceOf(release: ReleaseToRender, program: ProgramPlan, index: number): ClusterObject {
  const labels = { ...releaseLabels(release.host, release) };
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: programName(release.releaseId, index, program.name), labels },
    spec: {
      selector: { ...labels, [own.program]: programLabel(release.plan, index) },
      ports: [{ name: "http", port: servicePort, targetPort: containerPort }],
    },
  };
}

function dataOf({ host, deploymentId, settings }: ReleaseToRender): ClusterObject {
  const { size, className, access } = settings.storage!;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: `${nameOf(deploymentId)}-data`, labels: { ...deploymentLabels(host, deploymentId) } },
    spec: {
      accessModes: [access],
      resources: { requests: { storage: size } },
      ...(className !== undefined && { storageClassName: className }),
    },
  };
}
