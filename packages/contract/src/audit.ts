import { adminOnly } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Timestamp } from "./ids.ts";
import { Page, pageQuery } from "./paging.ts";
import { Type } from "./schema.ts";

const AuditEntry = Type.Object(
  {
    at: Timestamp("When the change was made."),
    actor: Type.String({ description: "The id of the user who made the change." }),
    actor_name: Type.String(),
    action: Type.String({ description: "The action.", examples: ["project.create"] }),
    target: Type.String({ description: "The id of what was changed." }),
    address: Type.String({ description: "The caller's network address." }),
    request_id: Type.String(),
    detail: Type.Record(Type.Unknown(), {
      description: "Further details. Contains `api_key_id` if the caller used a key.",
    }),
  },
  { description: "A change made by a user." },
);

const AuditPage = Page("entries", AuditEntry, "Changes, newest first.");

/** The audit log: who changed what. */
export const auditEndpoints = {
  listAudit: endpoint({
    method: "GET",
    path: "/api/v1/audit",
    tag: "Operations",
    summary: "List changes, newest first",
    access: adminOnly,
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of changes.", schema: AuditPage }],
    problems: [],
  }),
} as const;
