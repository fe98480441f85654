import { open } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Type } from "./schema.ts";

/** Operations: health, metrics and the API's description. */
export const operationEndpoints = {
  readHealth: endpoint({
    method: "GET",
    path: "/healthz",
    tag: "Operations",
    summary: "Check that the process is alive",
    access: open,
    success: [
      { status: 200, description: "The process is alive.", schema: Type.Object({ status: Type.Literal("ok") }) },
    ],
    problems: [],
  }),
  readReadiness: endpoint({
    method: "GET",
    path: "/readyz",
    tag: "Operations",
    summary: "Check that the service can answer requests and store files",
    access: open,
    success: [
      { status: 200, description: "The service is ready.", schema: Type.Object({ status: Type.Literal("ready") }) },
    ],
    problems: ["shutting_down", "database_unavailable", "storage_unavailable"],
  }),
  readMetrics: endpoint({
    method: "GET",
    path: "/metrics",
    tag: "Operations",
    summary: "Read metrics for Prometheus",
    access: { kind: "metrics" },
    success: [{ status: 200, description: "Metrics in the Prometheus text format.", mediaTypes: ["text/plain"] }],
    problems: [],
  }),
  readOpenApi: endpoint({
    method: "GET",
    path: "/api/v1/openapi.json",
    tag: "Operations",
    summary: "Read the OpenAPI document of this API",
    isVersioned: true,
    access: open,
    success: [{ status: 200, description: "OpenAPI 3.1.", schema: Type.Record(Type.Unknown()) }],
    problems: [],
  }),
} as const;
