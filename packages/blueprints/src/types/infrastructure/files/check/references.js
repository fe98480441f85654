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
  return Object.entries(services).flatMap(([name, service]) => {
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
}

function inManifests(description, manifests) {
  const named = (kind) => manifests.filter((manifest) => manifest.kind === kind).map(({ metadata }) => metadata.name);
  const pods = manifests.flatMap(({ spec }) => (spec?.template === undefined ? [] : [spec.template]));
  const secrets = description.services.flatMap((service) => service.secrets.map((secret) => secret.toLowerCase().replaceAll("_", "-")));
  const problems = [];
  for (const { kind, metadata, spec } of manifests) {
    const here = `${kind} ${metadata.name}`;
    if (metadata.namespace !== undefined && !named("Namespace").includes(metadata.namespace)) {
      problems.push(`${here} is in the namespace ${metadata.namespace}, which is not declared`);
    }
    if (kind === "Service" && !pods.some((pod) => hasLabels(pod.metadata.labels, spec.selector))) {
      problems.push(`${here} selects no pod`);
    }
    if (kind === "Ingress") {
      const backends = spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service.name));
      for (const backend of backends) {
        if (!named("Service").includes(backend)) problems.push(`${here} leads to the service ${backend}, which is not declared`);
      }
    }
    if (kind === "StatefulSet" && !named("Service").includes(spec.serviceName)) {
      // Without callers nobody needs its name; the claim of the set is then all there is.
      const isCalled = description.services.some(({ dependencies }) => dependencies.includes(metadata.name));
      if (isCalled) problems.push(`${here} names the service ${spec.serviceName}, which is not declared`);
    }
    if (spec?.template !== undefined) problems.push(...inPod(here, spec, secrets));
  }
  return problems;
}

function inPod(here, { template, selector, volumeClaimTemplates = [] }, secrets) {
  const problems = [];
  if (!hasLabels(template.metadata.labels, selector.matchLabels)) problems.push(`${here} does not select its own pods`);
  const volumes = template.spec.volumes ?? [];
  const known = [...volumes.map(({ name }) => name), ...volumeClaimTemplates.map(({ metadata }) => metadata.name)];
  for (const { name } of template.spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts)) {
    if (!known.includes(name)) problems.push(`${here} mounts the volume ${name}, which is not declared`);
  }
  for (const { secret } of volumes) {
    if (secret !== undefined && !secrets.includes(secret.secretName)) {
      problems.push(`${here} uses the secret ${secret.secretName}, which is not described`);
    }
  }
  return problems;
}

function hasLabels(labels = {}, wanted = {}) {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
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
