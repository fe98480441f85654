/** What the files of an environment say, whichever kind of file says so. */

export function containersIn({ composeData, manifests }) {
  const inCompose = Object.entries(composeData?.services ?? {}).map(([name, service]) => ({
    name,
    image: service.image,
    limits: service.deploy?.resources?.limits ?? {},
    environment: service.environment ?? {},
    replicas: service.deploy?.replicas ?? 1,
    hasProbe: service.healthcheck !== undefined,
    isPrivileged: service.privileged === true || service.network_mode === "host",
  }));
  const inPods = (manifests ?? []).flatMap((manifest) =>
    (podOf(manifest)?.spec.containers ?? []).map((container) => ({
      name: manifest.metadata.name,
      image: container.image,
      limits: container.resources?.limits ?? {},
      environment: Object.fromEntries(
        (container.env ?? []).filter(({ valueFrom }) => valueFrom === undefined).map(({ name, value }) => [name, value]),
      ),
      replicas: instancesOf(manifests, manifest),
      hasProbe: container.readinessProbe !== undefined,
      isPrivileged: container.securityContext?.privileged === true || podOf(manifest).spec.hostNetwork === true,
    })),
  );
  return [...inCompose, ...inPods];
}

/** The template of the pods that a manifest starts; undefined if it starts none. */
export function podOf({ spec }) {
  return spec?.template ?? spec?.jobTemplate?.spec?.template;
}

/** What goes on running in Kubernetes, and how many of it there are at least. */
export function workloadsIn({ manifests = [] }) {
  return manifests
    .filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet")
    .map((manifest) => ({
      name: manifest.metadata.name,
      labels: podOf(manifest).metadata.labels,
      replicas: instancesOf(manifests, manifest),
    }));
}

function instancesOf(manifests, { kind, metadata, spec }) {
  const scaler = manifests.find((one) => {
    const target = one.kind === "HorizontalPodAutoscaler" ? one.spec.scaleTargetRef : undefined;
    return target?.kind === kind && target.name === metadata.name;
  });
  return scaler?.spec.minReplicas ?? spec.replicas ?? 1;
}

export function budgetsIn({ manifests = [] }) {
  return manifests
    .filter(({ kind }) => kind === "PodDisruptionBudget")
    .map(({ metadata, spec }) => ({
      name: metadata.name,
      minAvailable: spec.minAvailable ?? 0,
      selects: (labels) => hasLabels(labels, spec.selector?.matchLabels),
    }));
}

/** The services that keep data. */
export function claimsIn({ composeData, manifests = [] }) {
  const jobs = manifests.filter(({ kind }) => kind === "CronJob").map(({ metadata }) => metadata.name);
  const inCompose = Object.entries(composeData?.services ?? {}).filter(([, { volumes = [] }]) => volumes.length > 0);
  const inSets = manifests.filter(({ kind, spec }) => kind === "StatefulSet" && (spec.volumeClaimTemplates ?? []).length > 0);
  return [
    ...inCompose.map(([name]) => ({ name, isBackedUp: false })),
    ...inSets.map(({ metadata: { name } }) => ({ name, isBackedUp: jobs.includes(`${name}-backup`) })),
  ];
}

export function ingressesIn({ manifests = [] }) {
  return manifests
    .filter(({ kind }) => kind === "Ingress")
    .map(({ metadata, spec }) => ({
      name: metadata.name,
      hosts: spec.rules.map(({ host }) => host),
      encrypted: (spec.tls ?? []).flatMap(({ hosts = [] }) => hosts),
      services: spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service.name)),
    }));
}

/** The services that are reached by a port of the machine, not by way of an Ingress. */
export function openPortsIn({ composeData, manifests = [] }) {
  const inCompose = Object.entries(composeData?.services ?? {}).filter(([, { ports = [] }]) => ports.length > 0);
  const inKubernetes = manifests.filter(({ kind, spec }) => kind === "Service" && ["LoadBalancer", "NodePort"].includes(spec.type));
  return [...inCompose.map(([name]) => name), ...inKubernetes.map(({ metadata }) => metadata.name)];
}

/** The services that somebody outside can call. */
export function reachableIn(environment) {
  const groups = [...(environment.hcl?.text ?? "").matchAll(/^resource "aws_security_group" "[^"]+" \{\n(.*?)^\}/gms)];
  const inTerraform = groups
    .filter(([, body]) => /ingress \{[^}]*0\.0\.0\.0\/0/.test(body))
    .map(([, body]) => /^ {2}name\s+= "([^"]+)"$/m.exec(body)[1]);
  return [...openPortsIn(environment), ...ingressesIn(environment).flatMap(({ services }) => services), ...inTerraform];
}

export function hasLabels(labels = {}, wanted = {}) {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}
