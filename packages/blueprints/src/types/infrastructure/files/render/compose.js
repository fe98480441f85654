/** A Compose file: all services on one machine. */
export function composeFile(description, environment) {
  const { services, network, name } = description;
  const secrets = [...new Set(services.flatMap((service) => service.secrets))];
  const volumes = services.flatMap((service) => service.volumes);
  const entries = (list, toEntry) => Object.fromEntries(list.map(toEntry));
  return {
    name,
    services: entries(services, (service) => [service.name, composeService(description, environment, service)]),
    networks: entries(network.subnets, (subnet) => {
      const isPublic = services.some((service) => service.isPublic && subnet.holds.includes(service.name));
      return [subnet.name, isPublic ? {} : { internal: true }];
    }),
    ...(volumes.length > 0 && { volumes: entries(volumes, (volume) => [volume.name, {}]) }),
    ...(secrets.length > 0 && {
      secrets: entries(secrets, (secret) => [secret, { environment: secret.toUpperCase().replaceAll("-", "_") }]),
    }),
  };
}

function composeService(description, environment, service) {
  const { health, limits } = service;
  const isSet = (list) => list.length > 0;
  return {
    image: service.image,
    ...(isSet(service.command) && { command: service.command }),
    restart: "unless-stopped",
    ...(service.isPublic && isSet(service.ports) && { ports: service.ports.map(({ host, container }) => `${host}:${container}`) }),
    ...(isSet(Object.keys(service.environment)) && { environment: service.environment }),
    ...(isSet(service.secrets) && { secrets: service.secrets }),
    ...(isSet(service.volumes) && { volumes: service.volumes.map(({ name, path }) => `${name}:${path}`) }),
    ...(isSet(service.dependencies) && { depends_on: dependsOn(description, service) }),
    networks: networksOf(description, service),
    ...(health !== null && { healthcheck: { test: ["CMD-SHELL", probeCommand(health)], interval: "10s", timeout: "3s", retries: 5 } }),
    security_opt: ["no-new-privileges:true"],
    deploy: {
      replicas: environment.replicas[service.name],
      resources: { limits: { memory: `${limits.memoryMb}M`, cpus: String(limits.cpu) } },
    },
  };
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
