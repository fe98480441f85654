/** Whether Prometheus asks a service. */
export function isWatched(monitoring, { health, port }) {
  return monitoring !== null && port !== null && health !== null && health.command === null;
}

/** Whoever is labelled so reaches what it watches, whatever namespace it runs in. */
export const prometheus = {
  namespaceSelector: {},
  podSelector: { matchLabels: { "app.kubernetes.io/name": "prometheus" } },
};

export function isPrometheus({ namespaceSelector, podSelector }) {
  return namespaceSelector !== undefined && podSelector?.matchLabels?.["app.kubernetes.io/name"] === "prometheus";
}

/** What Prometheus asks, and how often. */
export function scrapeConfig({ name, services, monitoring }) {
  const watched = services.filter((service) => isWatched(monitoring, service));
  return {
    global: { scrape_interval: `${monitoring.intervalSeconds}s`, external_labels: monitoring.labels },
    rule_files: ["alerts.yaml"],
    scrape_configs: [
      {
        job_name: name,
        metrics_path: monitoring.metricsPath,
        static_configs: watched.map((service) => ({
          targets: [`${service.name}:${service.port}`],
          labels: { service: service.name },
        })),
      },
    ],
  };
}

export function alertRules({ name, monitoring }) {
  const rules = monitoring.alerts.map(({ name: alert, when, forMinutes, severity }) => ({
    alert,
    expr: when,
    for: `${forMinutes}m`,
    labels: { severity },
  }));
  return { groups: [{ name, rules }] };
}
