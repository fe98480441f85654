/** Counts requests, for a scraper of the Prometheus format. */
export class Metrics {
  #counts = new Map();
  #seconds = 0;
  #total = 0;

  count(method, status, seconds) {
    const key = `method="${method}",status="${status}"`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#seconds += seconds;
    this.#total += 1;
  }

  get text() {
    return [
      "# HELP http_requests_total Requests that were answered.",
      "# TYPE http_requests_total counter",
      ...[...this.#counts].map(([labels, count]) => `http_requests_total{${labels}} ${count}`),
      "# HELP http_request_duration_seconds How long the answers took.",
      "# TYPE http_request_duration_seconds summary",
      `http_request_duration_seconds_sum ${this.#seconds.toFixed(6)}`,
      `http_request_duration_seconds_count ${this.#total}`,
      "# HELP process_uptime_seconds How long the service has been running.",
      "# TYPE process_uptime_seconds gauge",
      `process_uptime_seconds ${process.uptime().toFixed(3)}`,
      "",
    ].join("\n");
  }
}
