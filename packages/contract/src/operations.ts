import { adminOnly, open } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Timestamp } from "./ids.ts";
import { type Static, Type } from "./schema.ts";

const Installation = Type.Object(
  {
    version: Type.String({ description: "The version of the node that answers." }),
    node_version: Type.String({ description: "The version of Node.js that it runs on.", examples: ["24.1.0"] }),
    platform: Type.String({ description: "Its operating system and processor.", examples: ["linux x64"] }),
    started_at: Timestamp("When the node that answers started."),
    nodes: Type.Array(
      Type.Object({
        name: Type.String({ description: "The node's name." }),
        lease_expires_at: Timestamp("Others take over its work then, unless it renews its lease."),
        jobs: Type.Integer({ description: "How many jobs it has claimed." }),
      }),
      { description: "The nodes that do work." },
    ),
    queue: Type.Object(
      {
        waiting: Type.Integer({ description: "Jobs that are due and wait for a node or an agent." }),
        delayed: Type.Integer({ description: "Jobs that are due later." }),
        running: Type.Integer({ description: "Jobs that a node has claimed." }),
        paused: Type.Integer({ description: "Jobs of paused projects." }),
      },
      { description: "The jobs of all projects." },
    ),
    database: Type.Object({
      version: Type.String({ description: "The version of Postgres." }),
      size_bytes: Type.Integer({ description: "How much it stores." }),
      connections: Type.Integer({ description: "Open connections to it, of all nodes." }),
    }),
    disks: Type.Array(
      Type.Object({
        use: Type.Enum(["data", "artifacts"], { description: "What the folder is for." }),
        path: Type.String(),
        free_bytes: Type.Integer(),
        total_bytes: Type.Integer(),
      }),
      { description: "The folders of the node that answers." },
    ),
  },
  { description: "How the installation is." },
);

export type Installation = Static<typeof Installation>;

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
  readInstallation: endpoint({
    method: "GET",
    path: "/api/v1/installation",
    tag: "Operations",
    summary: "Read how the installation is: nodes, queue, database, disks",
    access: adminOnly,
    success: [{ status: 200, description: "How it is.", schema: Installation }],
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
