import { Type } from "typebox";
import { open } from "./access.ts";
import { endpoint } from "./endpoint.ts";

/** What operators and their tools ask of the service itself. */
export const operationEndpoints = {
  readHealth: endpoint({
    method: "GET",
    path: "/healthz",
    tag: "Operations",
    summary: "Whether the process lives",
    access: open,
    success: [{ status: 200, description: "It does.", schema: Type.Object({ status: Type.Literal("ok") }) }],
    problems: [],
  }),
  readReadiness: endpoint({
    method: "GET",
    path: "/readyz",
    tag: "Operations",
    summary: "Whether requests can be answered",
    access: open,
    success: [{ status: 200, description: "They can.", schema: Type.Object({ status: Type.Literal("ready") }) }],
    problems: ["shutting_down", "database_unavailable"],
  }),
  readMetrics: endpoint({
    method: "GET",
    path: "/metrics",
    tag: "Operations",
    summary: "Measurements, for Prometheus",
    access: { kind: "metrics" },
    success: [{ status: 200, description: "In Prometheus' text format.", mediaTypes: ["text/plain"] }],
    problems: [],
  }),
  readOpenApi: endpoint({
    method: "GET",
    path: "/api/v1/openapi.json",
    tag: "Operations",
    summary: "This very document",
    isVersioned: true,
    access: open,
    success: [{ status: 200, description: "OpenAPI 3.1.", schema: Type.Record(Type.String(), Type.Unknown()) }],
    problems: [],
  }),
} as const;
