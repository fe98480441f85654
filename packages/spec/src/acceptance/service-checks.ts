/** What the service measures of a command, by the name of the limit; undefined for anything else. */
export function measuredOfCommand(metric: string): "time" | "memory" | undefined {
  if (/time|duration|latency/.test(metric)) return "time";
  return /memory/.test(metric) ? "memory" : undefined;
}

/** Checks of `acceptance` that the service answers by their name, whoever built the result. */
export const serviceChecks: readonly string[] = [
  "health_check_timeout_seconds",
  "deployment_time_max_minutes",
  "zero_downtime",
  "files_exist",
  "runtime_dependencies_max",
  "package_size_max_kb",
  "first_load_max_kb",
  "links",
  "broken_links",
  "ux_flows",
  "user_flows",
];
