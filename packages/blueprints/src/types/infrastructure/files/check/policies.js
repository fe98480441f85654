/** The policies that can be checked, by id. Each gives a sentence for every breach in the files of an environment. */
export const policies = {
  "pinned-images": (_description, environment) =>
    containersIn(environment)
      .filter(({ image }) => !isPinned(image))
      .map(({ name, image }) => `${name} runs ${image}, which is not pinned to a version`),

  "limits-set": (_description, environment) =>
    containersIn(environment)
      .filter(({ limits }) => !limits.memory || !(limits.cpu ?? limits.cpus))
      .map(({ name }) => `${name} has no limit of memory or CPU`),

  "one-way-in": ({ services }, environment) => {
    const open = new Set(services.filter(({ isPublic }) => isPublic).map(({ name }) => name));
    return reachableIn(environment)
      .filter((name) => !open.has(name))
      .map((name) => `${name} is reachable from outside`);
  },

  "no-plain-passwords": (_description, environment) =>
    containersIn(environment).flatMap(({ name, environment: variables }) =>
      Object.entries(variables)
        .filter(([variable, value]) => isSecretName(variable) && !isFileOf(variable, value))
        .map(([variable]) => `${name} has ${variable} in plain text`),
    ),

  "not-privileged": (_description, environment) =>
    containersIn(environment)
      .filter(({ isPrivileged }) => isPrivileged)
      .map(({ name }) => `${name} runs privileged or on the host's network`),

  "two-in-production": ({ services }, environment) => {
    if (!/^prod/i.test(environment.name)) return [];
    const open = new Set(services.filter(({ isPublic }) => isPublic).map(({ name }) => name));
    return containersIn(environment)
      .filter(({ name, replicas }) => open.has(name) && replicas < 2)
      .map(({ name, replicas }) => `${name} has ${replicas} replica in production`);
  },
};

function isPinned(image) {
  const tag = /(?::([^/:@]+))?(@sha256:[0-9a-f]{64})?$/.exec(image);
  return tag[2] !== undefined || (tag[1] !== undefined && tag[1] !== "latest");
}

function isSecretName(variable) {
  return /PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|PRIVATE_?KEY/i.test(variable);
}

function isFileOf(variable, value) {
  return /_FILE$/i.test(variable) && String(value).startsWith("/");
}

/** What runs, whichever kind of file says so. */
function containersIn({ composeData, manifests }) {
  const inCompose = Object.entries(composeData?.services ?? {}).map(([name, service]) => ({
    name,
    image: service.image,
    limits: service.deploy?.resources?.limits ?? {},
    environment: service.environment ?? {},
    replicas: service.deploy?.replicas ?? 1,
    isPrivileged: service.privileged === true || service.network_mode === "host",
  }));
  const inPods = (manifests ?? [])
    .filter(({ spec }) => spec?.template !== undefined)
    .flatMap(({ metadata, spec }) =>
      spec.template.spec.containers.map((container) => ({
        name: metadata.name,
        image: container.image,
        limits: container.resources?.limits ?? {},
        environment: Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value])),
        replicas: spec.replicas ?? 1,
        isPrivileged: container.securityContext?.privileged === true || spec.template.spec.hostNetwork === true,
      })),
    );
  return [...inCompose, ...inPods];
}

/** The services that somebody outside can call. */
function reachableIn({ composeData, manifests, hcl }) {
  const inCompose = Object.entries(composeData?.services ?? {}).filter(([, { ports = [] }]) => ports.length > 0);
  const inKubernetes = (manifests ?? []).flatMap(({ kind, metadata, spec }) => {
    if (kind === "Service") return ["LoadBalancer", "NodePort"].includes(spec.type) ? [metadata.name] : [];
    if (kind !== "Ingress") return [];
    return spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service.name));
  });
  const groups = [...(hcl?.text ?? "").matchAll(/^resource "aws_security_group" "[^"]+" \{\n(.*?)^\}/gms)];
  const inTerraform = groups
    .filter(([, body]) => /ingress \{[^}]*0\.0\.0\.0\/0/.test(body))
    .map(([, body]) => /^ {2}name\s+= "([^"]+)"$/m.exec(body)[1]);
  return [...inCompose.map(([name]) => name), ...inKubernetes, ...inTerraform];
}
