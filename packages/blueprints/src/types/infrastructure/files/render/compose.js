/** A Compose file: all services on one machine. */
export function composeFile(description) {
  const { services, network, name } = description;
  const secrets = [...new Set(services.flatMap((service) => service.secrets))];
  const volumes = services.flatMap((service) => service.volumes);
  const entries = (list, toEntry) => Object.fromEntries(list.map(toEntry));
  return {
    name,
    services: entries(services, (service) => [service.name, composeService(description, service)]),
    networks: entries(network.subnets, (subnet) => {
      const isPublic = services.some((service) => service.isPublic && subnet.holds.includes(service.name));
      return [subnet.name, isPublic ? {} : { internal: true }];
    }),
    ...(volumes.length > 0 && { volumes: entries(volumes, (volume) => [volume.name, {}]) }),
    ...(secrets.length > 0 && { secrets: entries(secrets, (secret) => [secret, { environment: variableOf(secret) }]) }),
  };
}

function composeService(description, service) {
  const { health, limits, requests } = service;
  const isSet = (list) => list.length > 0;
  const variables = variablesOf(service);
  return {
    image: service.image,
    ...(isSet(service.command) && { command: service.command.map(literally) }),
    restart: "unless-stopped",
    ...(service.isPublic && isSet(service.ports) && { ports: service.ports.map((port) => published(port, service.replicas)) }),
    ...(isSet(Object.keys(variables)) && { environment: variables }),
    ...(isSet(service.secrets) && { secrets: service.secrets }),
    ...(isSet(service.volumes) && { volumes: service.volumes.map(({ name, path }) => `${name}:${path}`) }),
    ...(isSet(service.dependencies) && { depends_on: dependsOn(description, service) }),
    networks: networksOf(description, service),
    ...(health !== null && { healthcheck: { test: ["CMD-SHELL", literally(probeCommand(health))], interval: "10s", timeout: "3s", retries: 5 } }),
    security_opt: ["no-new-privileges:true"],
    deploy: {
      replicas: service.replicas,
      resources: { limits: amounts(limits), ...(requests !== null && { reservations: amounts(requests) }) },
    },
  };
}

/** One port of the machine belongs to one instance: several get as many, one after the other. */
function published({ host, container }, replicas) {
  return replicas > 1 ? `${host}-${host + replicas - 1}:${container}` : `${host}:${container}`;
}

function amounts({ memoryMb, cpu }) {
  return { memory: `${memoryMb}M`, cpus: String(cpu) };
}

/** Secrets come from the environment of whoever starts it, and are asked for if they are not there. */
function variablesOf({ environment, secretVariables }) {
  const plain = Object.entries(environment).map(([name, value]) => [name, literally(value)]);
  const secret = Object.entries(secretVariables).map(([name, key]) => [name, `\${${variableOf(key)}:?is a secret}`]);
  return Object.fromEntries([...plain, ...secret]);
}

/** Compose fills in variables after a dollar sign; two of them are one. */
function literally(text) {
  return text.replaceAll("$", "$$$$");
}

function variableOf(secret) {
  return secret.toUpperCase().replaceAll("-", "_");
}

function dependsOn({ services }, { dependencies }) {
  return Object.fromEntries(
    dependencies.map((name) => {
      const { health } = services.find((other) => other.name === name);
      return [name, { condition: health === null ? "service_started" : "service_healthy" }];
    }),
  );
}

/** Its own networks, and those of the services that it calls. */
export function networksOf({ network }, { name, dependencies }) {
  const reached = [name, ...dependencies];
  return network.subnets.filter(({ holds }) => holds.some((held) => reached.includes(held))).map((subnet) => subnet.name);
}

function probeCommand(health) {
  if (health.command !== null) return health.command;
  return `wget -q -O /dev/null http://127.0.0.1:${health.port}${health.path} || exit 1`;
}
