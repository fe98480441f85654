import { fixedAnswer, type Handlers, type Metrics } from "../../platform/http/index.ts";
import { openApiDocument } from "./openapi.ts";
import { type InstallationDeps, readInstallation } from "./read-installation.ts";

interface Deps extends InstallationDeps {
  readonly metrics: Metrics;
  /** Rejects when the database does not answer. */
  readonly ping: () => Promise<void>;
  /** Refuses when nothing can be stored. */
  readonly requireStorage: () => Promise<void>;
}

export function operationsRoutes({
  metrics,
  ping,
  requireStorage,
  ...installation
}: Deps): Pick<Handlers, "readHealth" | "readReadiness" | "readMetrics" | "readInstallation" | "readOpenApi"> {
  return {
    readHealth: async () => ({ status: 200, body: { status: "ok" } }),
    // While the service stops, a hook refuses every request before this.
    readReadiness: async () => {
      await Promise.all([ping(), requireStorage()]);
      return { status: 200, body: { status: "ready" } };
    },
    readMetrics: async () => ({
      status: 200,
      body: await metrics.registry.metrics(),
      headers: { "content-type": metrics.registry.contentType },
    }),
    readInstallation: async () => ({ status: 200, body: await readInstallation(installation) }),
    readOpenApi: fixedAnswer("application/json; charset=utf-8", () =>
      JSON.stringify(openApiDocument(installation.version)),
    ),
  };
}
