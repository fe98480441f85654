import type { Handlers, Metrics } from "../http/index.ts";

interface Parts {
  readonly metrics: Metrics;
  /** Fails when the database does not answer. */
  readonly ping: () => Promise<void>;
}

export function operationsRoutes({
  metrics,
  ping,
}: Parts): Pick<Handlers, "readHealth" | "readReadiness" | "readMetrics"> {
  return {
    readHealth: async () => ({ status: 200, body: { status: "ok" } }),
    // While the service stops, every request is refused before it gets here.
    readReadiness: async () => {
      await ping();
      return { status: 200, body: { status: "ready" } };
    },
    readMetrics: async () => ({
      status: 200,
      body: await metrics.registry.metrics(),
      headers: { "content-type": metrics.registry.contentType },
    }),
  };
}
