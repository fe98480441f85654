import { backupManifests, backupName } from "./kubernetes-backup.js";
import { labelsOf, literally, mountsOf, secretName, secretVolumes, variablesOf } from "./kubernetes-pod.js";
import { isWatched, prometheus } from "./monitoring.js";

/** The manifests of one environment: a namespace, and what each service needs in it. */
export function manifests(description, environment) {
  const { namespace } = environment;
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...description.services.flatMap((service) => serviceManifests(description, environment, service)),
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "deny-by-default", namespace },
      spec: { podSelector: {}, policyTypes: ["Ingress"] },
    },
  ];
}

function serviceManifests(description, environment, service) {
  const isCalled = description.services.some(({ dependencies }) => dependencies.includes(service.name));
  const hasService = isCalled || service.isPublic || service.volumes.length > 0 || isWatched(description.monitoring, service);
  return [
    workload(description, environment, service),
    ...(hasService ? [clusterService(environment, service)] : []),
    networkPolicy(description, environment, service),
    ...(service.isPublic && service.port !== null ? [ingress(environment, service)] : []),
    ...(service.autoscaling === null ? [] : [autoscaler(environment, service)]),
    ...(service.disruptionBudget === null ? [] : [disruptionBudget(environment, service)]),
    ...(service.backup === null ? [] : backupManifests(environment, service)),
  ];
}

/** What keeps data gets a fixed identity and a claim of its own; everything else can be replaced at any time. */
function workload(description, environment, service) {
  const labels = labelsOf(service.name);
  return {
    apiVersion: "apps/v1",
    kind: kindOf(service),
    metadata: { name: service.name, namespace: environment.namespace, labels },
    spec: {
      // The autoscaler decides, and would be overruled each time the file is applied.
      ...(service.autoscaling === null && { replicas: service.replicas }),
      selector: { matchLabels: labels },
      ...(service.volumes.length > 0 && { serviceName: service.name }),
      template: {
        metadata: { labels, ...annotations(description, service) },
        spec: podSpec(service),
      },
      ...(service.volumes.length > 0 && { volumeClaimTemplates: service.volumes.map(claim) }),
    },
  };
}

function kindOf({ volumes }) {
  return volumes.length > 0 ? "StatefulSet" : "Deployment";
}

function annotations({ monitoring }, service) {
  if (!isWatched(monitoring, service)) return {};
  return {
    annotations: {
      "prometheus.io/scrape": "true",
      "prometheus.io/path": monitoring.metricsPath,
      "prometheus.io/port": String(service.port),
    },
  };
}

function podSpec(service) {
  const mounts = [...service.volumes.map(({ name, path }) => ({ name, mountPath: path })), ...mountsOf(service)];
  const variables = variablesOf(service);
  const container = {
    name: service.name,
    image: service.image,
    ...(service.command.length > 0 && { args: service.command.map(literally) }),
    ...(service.port !== null && { ports: [{ containerPort: service.port }] }),
    ...(variables.length > 0 && { env: variables }),
    resources: { requests: amounts(service.requests ?? service.limits), limits: amounts(service.limits) },
    ...probes(service.health),
    securityContext: { allowPrivilegeEscalation: false, privileged: false },
    ...(mounts.length > 0 && { volumeMounts: mounts }),
  };
  const volumes = secretVolumes(service);
  return { automountServiceAccountToken: false, containers: [container], ...(volumes.length > 0 && { volumes }) };
}

function amounts({ memoryMb, cpu }) {
  return { memory: `${memoryMb}Mi`, cpu: String(cpu) };
}

function probes(health) {
  if (health === null) return {};
  const check =
    health.command === null
      ? { httpGet: { path: health.path, port: health.port } }
      : { exec: { command: ["/bin/sh", "-c", literally(health.command)] } };
  return { readinessProbe: { ...check, periodSeconds: 5 }, livenessProbe: { ...check, periodSeconds: 15, failureThreshold: 4 } };
}

function claim({ name, sizeGb, class: storageClassName }) {
  return {
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      ...(storageClassName !== null && { storageClassName }),
      resources: { requests: { storage: `${sizeGb}Gi` } },
    },
  };
}

function clusterService({ namespace }, service) {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: service.name, namespace, labels: labelsOf(service.name) },
    spec: {
      selector: labelsOf(service.name),
      ...(service.port === null ? { clusterIP: "None" } : { ports: [{ port: service.port, targetPort: service.port }] }),
    },
  };
}

/** Only those who depend on a service reach it, its backup, and Prometheus if it watches it; a public one everybody does. */
function networkPolicy({ services, monitoring }, { namespace }, service) {
  const callers = services.filter(({ dependencies }) => dependencies.includes(service.name)).map(({ name }) => name);
  const names = service.backup === null ? callers : [...callers, backupName(service)];
  const from = [
    ...names.map((name) => ({ podSelector: { matchLabels: labelsOf(name) } })),
    ...(isWatched(monitoring, service) ? [prometheus] : []),
  ];
  const isReached = service.isPublic || from.length > 0;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: `reach-${service.name}`, namespace },
    spec: {
      podSelector: { matchLabels: labelsOf(service.name) },
      policyTypes: ["Ingress"],
      ingress: isReached ? [service.isPublic ? {} : { from }] : [],
    },
  };
}

function ingress({ namespace, tls }, { name, port, host }) {
  const backend = { service: { name, port: { number: port } } };
  const isEncrypted = tls !== null && host !== null;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      name,
      namespace,
      ...(isEncrypted && tls.issuer !== null && { annotations: { "cert-manager.io/cluster-issuer": tls.issuer } }),
    },
    spec: {
      ...(isEncrypted && { tls: [{ hosts: [host], secretName: tls.secret ?? secretName(`${name}-tls`) }] }),
      rules: [{ ...(host !== null && { host }), http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
    },
  };
}

function autoscaler({ namespace }, service) {
  const { min, max, cpuPercent, memoryPercent } = service.autoscaling;
  const metric = (name, averageUtilization) =>
    averageUtilization === null ? [] : [{ type: "Resource", resource: { name, target: { type: "Utilization", averageUtilization } } }];
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: service.name, namespace },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: kindOf(service), name: service.name },
      minReplicas: min,
      maxReplicas: max,
      metrics: [...metric("cpu", cpuPercent), ...metric("memory", memoryPercent)],
    },
  };
}

function disruptionBudget({ namespace }, { name, disruptionBudget: { minAvailable, maxUnavailable } }) {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace },
    spec: {
      ...(minAvailable === null ? { maxUnavailable } : { minAvailable }),
      selector: { matchLabels: labelsOf(name) },
    },
  };
}
