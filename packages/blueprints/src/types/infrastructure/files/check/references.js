import { budgetsIn, hasLabels, ingressesIn, podOf, workloadsIn } from "./seen.js";

/** Everything that the files of an environment refer to and that is nowhere declared, each as a sentence. */
export function unresolvedReferences(description, environment) {
  const { composeData, manifests, hcl } = environment;
  return [
    ...(composeData === undefined ? [] : inCompose(composeData).map((text) => `${environment.compose}: ${text}`)),
    ...(manifests === undefined ? [] : inManifests(description, manifests).map((text) => `${environment.kubernetes}: ${text}`)),
    ...(hcl === undefined ? [] : inHcl(hcl).map((text) => `${environment.terraform}: ${text}`)),
  ];
}

function inCompose({ services = {}, networks = {}, volumes = {}, secrets = {} }) {
  const unresolved = Object.entries(services).flatMap(([name, service]) => {
    const missing = (what, used, declared) =>
      used.filter((one) => !Object.hasOwn(declared, one)).map((one) => `${name} refers to the ${what} ${one}, which is not declared`);
    const mounted = (service.volumes ?? []).map((volume) => volume.split(":")[0]).filter((source) => !/^[./~]/.test(source));
    return [
      ...missing("service", Object.keys(service.depends_on ?? {}), services),
      ...missing("network", service.networks ?? [], networks),
      ...missing("volume", mounted, volumes),
      ...missing("secret", service.secrets ?? [], secrets),
    ];
  });
  return [...unresolved, ...portProblems(services)];
}

/** A port of the machine belongs to one instance, so a service needs as many as it has instances, and no two share one. */
function portProblems(services) {
  const problems = [];
  const takenBy = new Map();
  for (const [name, { ports = [], deploy }] of Object.entries(services)) {
    const replicas = deploy?.replicas ?? 1;
    for (const port of ports) {
      const [, from, to = from] = /^(\d+)(?:-(\d+))?:/.exec(String(port)) ?? [];
      if (from === undefined) continue;
      const [first, last] = [Number(from), Number(to)];
      if (last - first + 1 < replicas) problems.push(`${name} has ${replicas} instances and ${last - first + 1} port of the machine`);
      if (last > 65_535) problems.push(`${name} has ports above 65535`);
      for (let number = first; number <= last; number += 1) {
        const other = takenBy.get(number);
        if (other !== undefined) problems.push(`${other} and ${name} both have port ${number} of the machine`);
        takenBy.set(number, name);
      }
    }
  }
  return problems;
}

function inManifests(description, manifests) {
  const named = (kind) => manifests.filter((manifest) => manifest.kind === kind).map(({ metadata }) => metadata.name);
  const pods = manifests.flatMap((manifest) => podOf(manifest) ?? []);
  const problems = [];
  for (const manifest of manifests) {
    const { kind, metadata, spec } = manifest;
    const here = `${kind} ${metadata.name}`;
    const missing = (what, name) => problems.push(`${here} ${what} ${name}, which is not declared`);
    if (metadata.namespace !== undefined && !named("Namespace").includes(metadata.namespace)) {
      missing("is in the namespace", metadata.namespace);
    }
    const selector = kind === "Service" ? spec.selector : kind === "PodDisruptionBudget" ? spec.selector.matchLabels : undefined;
    if (selector !== undefined && !pods.some((pod) => hasLabels(pod.metadata.labels, selector))) {
      problems.push(`${here} selects no pod`);
    }
    if (kind === "Ingress") problems.push(...inIngress(here, spec, named("Service")));
    if (kind === "HorizontalPodAutoscaler" && !named(spec.scaleTargetRef.kind).includes(spec.scaleTargetRef.name)) {
      missing("scales", spec.scaleTargetRef.name);
    }
    if (kind === "StatefulSet" && !named("Service").includes(spec.serviceName)) missing("names the service", spec.serviceName);
    if (podOf(manifest) !== undefined) problems.push(...inPod(here, manifest, { secrets: secretsOf(description), claims: named("PersistentVolumeClaim") }));
  }
  return [...problems, ...contradictions(manifests)];
}

function secretsOf({ services, environments }) {
  const changes = environments.flatMap(({ overrides }) => Object.values(overrides));
  const all = [...services, ...changes].flatMap(({ secrets = [], secretVariables = {} }) => [...secrets, ...Object.values(secretVariables)]);
  return all.map((secret) => secret.toLowerCase().replaceAll("_", "-"));
}

function inIngress(here, { rules, tls = [] }, services) {
  const backends = rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service.name));
  const hosts = rules.map(({ host }) => host);
  return [
    ...backends.filter((name) => !services.includes(name)).map((name) => `${here} leads to the service ${name}, which is not declared`),
    ...tls.flatMap(({ hosts: encrypted = [] }) => encrypted).filter((host) => !hosts.includes(host)).map((host) => `${here} has a certificate for ${host}, and no rule`),
  ];
}

function inPod(here, manifest, { secrets, claims }) {
  const { template, selector, volumeClaimTemplates = [] } = manifest.spec;
  const pod = podOf(manifest);
  const problems = [];
  if (template !== undefined && !hasLabels(template.metadata.labels, selector.matchLabels)) problems.push(`${here} does not select its own pods`);
  const volumes = pod.spec.volumes ?? [];
  const known = [...volumes.map(({ name }) => name), ...volumeClaimTemplates.map(({ metadata }) => metadata.name)];
  for (const { name } of pod.spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts)) {
    if (!known.includes(name)) problems.push(`${here} mounts the volume ${name}, which is not declared`);
  }
  const variables = pod.spec.containers.flatMap(({ env = [] }) => env);
  const used = [
    ...volumes.flatMap(({ secret }) => secret?.secretName ?? []),
    ...variables.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []),
  ];
  for (const secret of used) if (!secrets.includes(secret)) problems.push(`${here} uses the secret ${secret}, which is not described`);
  for (const { persistentVolumeClaim: claim } of volumes) {
    if (claim !== undefined && !claims.includes(claim.claimName)) problems.push(`${here} uses the claim ${claim.claimName}, which is not declared`);
  }
  return problems;
}

/** What is declared, and cannot be so together. */
function contradictions(manifests) {
  const scalers = manifests.filter(({ kind, spec }) => kind === "HorizontalPodAutoscaler" && spec.minReplicas > spec.maxReplicas);
  const stuck = budgetsIn({ manifests }).flatMap(({ name, minAvailable, selects }) =>
    workloadsIn({ manifests })
      .filter(({ labels, replicas }) => selects(labels) && minAvailable >= replicas)
      .map(({ replicas }) => `PodDisruptionBudget ${name} keeps ${minAvailable} of ${replicas} instances: no machine could ever be replaced`),
  );
  const hosts = ingressesIn({ manifests }).flatMap(({ hosts: named }) => named.map((host) => host ?? "every host"));
  const twice = new Set(hosts.filter((host, index) => hosts.indexOf(host) !== index));
  return [
    ...scalers.map(({ metadata }) => `HorizontalPodAutoscaler ${metadata.name} has a minimum above its maximum`),
    ...stuck,
    ...[...twice].map((host) => `two services are reached at ${host}`),
  ];
}

function inHcl({ blocks, references }) {
  const isDeclared = ({ type, name }) =>
    blocks.some((block) =>
      type === "var"
        ? block.type === "variable" && block.labels[0] === name
        : block.type === "resource" && block.labels[0] === type && block.labels[1] === name,
    );
  const missing = references.filter((reference) => !isDeclared(reference)).map(({ type, name }) => `${type}.${name}`);
  return [...new Set(missing)].map((name) => `${name} is not declared`);
}
