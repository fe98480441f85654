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
  return [
    workload(description, environment, service),
    ...(isCalled || service.isPublic ? [clusterService(environment, service)] : []),
    networkPolicy(description, environment, service),
    ...(service.isPublic && service.port !== null ? [ingress(environment, service)] : []),
  ];
}

function labelsOf(service) {
  return { "app.kubernetes.io/name": service.name };
}

/** What keeps data gets a fixed identity and a claim of its own; everything else can be replaced at any time. */
function workload(description, environment, service) {
  const isStateful = service.volumes.length > 0;
  const labels = labelsOf(service);
  return {
    apiVersion: "apps/v1",
    kind: isStateful ? "StatefulSet" : "Deployment",
    metadata: { name: service.name, namespace: environment.namespace, labels },
    spec: {
      replicas: environment.replicas[service.name],
      selector: { matchLabels: labels },
      ...(isStateful && { serviceName: service.name }),
      template: {
        metadata: { labels, ...annotations(description, service) },
        spec: podSpec(service),
      },
      ...(isStateful && { volumeClaimTemplates: service.volumes.map(claim) }),
    },
  };
}

function annotations({ monitoring }, { health, port }) {
  if (monitoring === null || port === null || health === null || health.command !== null) return {};
  return {
    annotations: {
      "prometheus.io/scrape": "true",
      "prometheus.io/path": monitoring.metricsPath,
      "prometheus.io/port": String(port),
    },
  };
}

function podSpec(service) {
  const mounts = [
    ...service.volumes.map(({ name, path }) => ({ name, mountPath: path })),
    ...service.secrets.map((secret) => ({ name: secretName(secret), mountPath: `/run/secrets/${secret}`, subPath: secret, readOnly: true })),
  ];
  const limits = { memory: `${service.limits.memoryMb}Mi`, cpu: String(service.limits.cpu) };
  const container = {
    name: service.name,
    image: service.image,
    ...(service.command.length > 0 && { args: service.command }),
    ...(service.port !== null && { ports: [{ containerPort: service.port }] }),
    ...(Object.keys(service.environment).length > 0 && {
      env: Object.entries(service.environment).map(([name, value]) => ({ name, value })),
    }),
    resources: { requests: limits, limits },
    ...probes(service.health),
    securityContext: { allowPrivilegeEscalation: false, privileged: false },
    ...(mounts.length > 0 && { volumeMounts: mounts }),
  };
  const volumes = service.secrets.map((secret) => ({ name: secretName(secret), secret: { secretName: secretName(secret) } }));
  return { automountServiceAccountToken: false, containers: [container], ...(volumes.length > 0 && { volumes }) };
}

function secretName(secret) {
  return secret.toLowerCase().replaceAll("_", "-");
}

function probes(health) {
  if (health === null) return {};
  const check =
    health.command === null
      ? { httpGet: { path: health.path, port: health.port } }
      : { exec: { command: ["/bin/sh", "-c", health.command] } };
  return { readinessProbe: { ...check, periodSeconds: 5 }, livenessProbe: { ...check, periodSeconds: 15, failureThreshold: 4 } };
}

function claim({ name, sizeGb }) {
  return {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: `${sizeGb}Gi` } } },
  };
}

function clusterService({ namespace }, service) {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: service.name, namespace, labels: labelsOf(service) },
    spec: {
      selector: labelsOf(service),
      ...(service.port === null ? { clusterIP: "None" } : { ports: [{ port: service.port, targetPort: service.port }] }),
    },
  };
}

/** Only those who depend on a service reach it; a public one everybody does. */
function networkPolicy({ services }, { namespace }, service) {
  const callers = services.filter(({ dependencies }) => dependencies.includes(service.name));
  const from = callers.map((caller) => ({ podSelector: { matchLabels: labelsOf(caller) } }));
  const isReached = service.isPublic || from.length > 0;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: `reach-${service.name}`, namespace },
    spec: {
      podSelector: { matchLabels: labelsOf(service) },
      policyTypes: ["Ingress"],
      ingress: isReached ? [service.isPublic ? {} : { from }] : [],
    },
  };
}

function ingress({ namespace, host }, service) {
  const backend = { service: { name: service.name, port: { number: service.port } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: service.name, namespace },
    spec: { rules: [{ ...(host !== null && { host }), http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }] },
  };
}
