/** The services as they are in one environment: what is described, with what that environment changes. */
export function servicesIn({ services }, { overrides }) {
  return services.map((service) => {
    const changes = overrides[service.name] ?? {};
    return {
      replicas: 1,
      host: null,
      autoscaling: null,
      disruptionBudget: null,
      backup: null,
      ...service,
      ...changes,
      limits: { ...service.limits, ...changes.limits },
      environment: { ...service.environment, ...changes.environment },
      secretVariables: { ...service.secretVariables, ...changes.secretVariables },
      secrets: [...new Set([...service.secrets, ...(changes.secrets ?? [])])],
      volumes: service.volumes.map((volume) => ({ ...volume, ...changes.volumes?.[volume.name] })),
    };
  });
}

/** How many instances there are at least. */
export function instancesOf({ autoscaling, replicas }) {
  return autoscaling === null ? replicas : autoscaling.min;
}
