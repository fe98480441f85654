/** What Prometheus asks, and how often. */
export function scrapeConfig({ name, services, monitoring }) {
  const watched = services.filter(({ health, port }) => port !== null && health !== null && health.command === null);
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
