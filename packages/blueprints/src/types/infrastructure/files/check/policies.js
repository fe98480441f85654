import { isPrometheus, isWatched } from "../render/monitoring.js";
import { budgetsIn, claimsIn, containersIn, ingressesIn, openPortsIn, reachableIn, workloadsIn } from "./seen.js";

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

  "probes-set": ({ services }, environment) => {
    const listening = new Set(services.filter(({ port }) => port !== null).map(({ name }) => name));
    return containersIn(environment)
      .filter(({ name, hasProbe }) => listening.has(name) && !hasProbe)
      .map(({ name }) => `${name} listens and has no health check`);
  },

  "one-way-in": ({ services }, environment) => {
    const open = new Set(services.filter(({ isPublic }) => isPublic).map(({ name }) => name));
    return reachableIn(environment)
      .filter((name) => !open.has(name))
      .map((name) => `${name} is reachable from outside`);
  },

  "tls-outside": (_description, given) => {
    const environment = whereItRuns(given);
    return [
      ...openPortsIn(environment).map((name) => `${name} is reached from outside without TLS`),
      ...ingressesIn(environment)
        .filter(({ hosts, encrypted }) => hosts.some((host) => !encrypted.includes(host)))
        .map(({ name }) => `${name} is reached from outside without TLS`),
    ];
  },

  "no-plain-passwords": (_description, environment) =>
    containersIn(environment).flatMap(({ name, environment: variables }) =>
      Object.entries(variables)
        .filter(([variable, value]) => isSecretName(variable) && !isReference(variable, value))
        .map(([variable]) => `${name} has ${variable} in plain text`),
    ),

  "not-privileged": (_description, environment) =>
    containersIn(environment)
      .filter(({ isPrivileged }) => isPrivileged)
      .map(({ name }) => `${name} runs privileged or on the host's network`),

  "two-in-production": ({ services }, environment) => {
    if (!/^prod/i.test(environment.name)) return [];
    const open = new Set(services.filter(({ isPublic }) => isPublic).map(({ name }) => name));
    return containersIn(whereItRuns(environment))
      .filter(({ name, replicas }) => open.has(name) && replicas < 2)
      .map(({ name, replicas }) => `${name} has ${replicas} replica in production`);
  },

  "disruption-budgets": (_description, environment) =>
    workloadsIn(environment)
      .filter(({ replicas, labels }) => replicas > 1 && !budgetsIn(environment).some(({ selects }) => selects(labels)))
      .map(({ name, replicas }) => `${name} has ${replicas} instances and no disruption budget`),

  "backed-up": (_description, environment) =>
    claimsIn(whereItRuns(environment))
      .filter(({ isBackedUp }) => !isBackedUp)
      .map(({ name }) => `${name} keeps data and has no backup`),

  "deny-by-default": (description, environment) => [
    ...openNetworks(description, environment),
    ...openPods(description, environment),
  ],
};

/**
 * TLS, backups and scaling by load are nothing that a Compose file can say. Where Kubernetes runs the environment, its
 * manifests are judged alone; where Compose is all there is, it is what runs, and breaks the policy.
 */
function whereItRuns(environment) {
  return environment.manifests === undefined ? environment : { ...environment, composeData: undefined };
}

/** Networks of a Compose file that lead out although they hold nobody public. */
function openNetworks({ services, network }, { composeData }) {
  const open = services.filter(({ isPublic }) => isPublic).map(({ name }) => name);
  const mayLeadOut = network.subnets.filter(({ holds }) => holds.some((name) => open.includes(name))).map(({ name }) => name);
  return Object.entries(composeData?.networks ?? {})
    .filter(([name, { internal }]) => internal !== true && !mayLeadOut.includes(name))
    .map(([name]) => `the network ${name} leads out, and holds no public service`);
}

/** Pods that others reach than those who depend on them. */
function openPods({ services, monitoring }, { manifests }) {
  if (manifests === undefined) return [];
  const found = manifests.filter(({ kind }) => kind === "NetworkPolicy").map(({ spec }) => spec);
  const closed = found.some(({ podSelector, policyTypes }) => Object.keys(podSelector).length === 0 && policyTypes.includes("Ingress"));
  const nameOf = ({ podSelector }) => podSelector?.matchLabels?.["app.kubernetes.io/name"];
  const wide = found.flatMap((spec) => {
    const service = services.find(({ name }) => name === nameOf(spec));
    if (service === undefined || service.isPublic) return [];
    const allowed = services.filter(({ dependencies }) => dependencies.includes(service.name)).map(({ name }) => name);
    const isAllowed = (peer) =>
      isPrometheus(peer) ? isWatched(monitoring, service) : [...allowed, `${service.name}-backup`].includes(nameOf(peer));
    const isNarrow = (spec.ingress ?? []).every(({ from }) => Array.isArray(from) && from.every(isAllowed));
    return isNarrow ? [] : [`${service.name} is reached by others than those who depend on it`];
  });
  return closed ? wide : ["pods without a policy are reached by all", ...wide];
}

function isPinned(image) {
  const tag = /(?::([^/:@]+))?(@sha256:[0-9a-f]{64})?$/.exec(image);
  return tag[2] !== undefined || (tag[1] !== undefined && tag[1] !== "latest");
}

function isSecretName(variable) {
  return /PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|PRIVATE_?KEY/i.test(variable);
}

/** A file, or in Compose a variable of whoever starts it. What Kubernetes takes from a secret has no value here. */
function isReference(variable, value) {
  return (/_FILE$/i.test(variable) && String(value).startsWith("/")) || /^\$\{\w+:\?[^}]*\}$/.test(String(value));
}
