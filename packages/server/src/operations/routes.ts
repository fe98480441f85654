import type { Handlers, Metrics } from "../http/index.ts";
import { Refusal } from "../refusal.ts";

interface Parts {
  readonly metrics: Metrics;
  readonly isDraining: () => boolean;
  /** Fails when the database does not answer. */
  readonly ping: () => Promise<void>;
}

export function operationsRoutes({
  metrics,
  isDraining,
  ping,
}: Parts): Pick<Handlers, "readHealth" | "readReadiness" | "readMetrics"> {
  return {
    readHealth: async () => ({ status: 200, body: { status: "ok" } }),
    readReadiness: async () => {
      if (isDraining())
        throw new Refusal("shutting_down", "The service is stopping.", { headers: { "retry-after": "5" } });
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
