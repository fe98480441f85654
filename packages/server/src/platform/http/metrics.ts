import type { FastifyInstance } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** The metrics of the service, for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: Counter<"method" | "route" | "status">;
  readonly durations: Histogram<"method" | "route">;
  readonly streams: Gauge;
  readonly documents: Gauge;
  readonly deliveries: Counter<"result">;
  readonly deliveryLag: Histogram;
  readonly damagedBlobs: Gauge;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: "slipway_http_requests_total",
      help: "Requests answered.",
      labelNames: ["method", "route", "status"],
      registers,
    }),
    durations: new Histogram({
      name: "slipway_http_request_duration_seconds",
      help: "Time from request to answer.",
      labelNames: ["method", "route"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    streams: new Gauge({
      name: "slipway_http_open_streams",
      help: "Event streams and waits that are open.",
      registers,
    }),
    documents: new Gauge({
      name: "slipway_large_documents_reading",
      help: "Large documents that are being read, or wait to be.",
      registers,
    }),
    deliveries: new Counter({
      name: "slipway_webhook_attempts_total",
      help: "Attempts to deliver to webhooks: delivered, or whose fault it is.",
      labelNames: ["result"],
      registers,
    }),
    deliveryLag: new Histogram({
      name: "slipway_webhook_lag_seconds",
      help: "Time from an event to its arrival at a webhook.",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3600],
      registers,
    }),
    damagedBlobs: new Gauge({
      name: "slipway_artifact_blobs_damaged",
      help: "Contents of artifacts that are missing or not what they were.",
      registers,
    }),
  };
}

/** Counts answers by route, never by path: otherwise an attacker could create any number of series. */
export function countRequests(app: FastifyInstance, { requests, durations }: Metrics): void {
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "none";
    requests.inc({ method: request.method, route, status: reply.statusCode });
    durations.observe({ method: request.method, route }, reply.elapsedTime / 1000);
  });
}
