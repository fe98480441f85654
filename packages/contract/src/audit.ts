import { Type } from "typebox";
import { adminOnly } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Timestamp } from "./ids.ts";
import { Page, pageQuery } from "./paging.ts";

const AuditEntry = Type.Object(
  {
    at: Timestamp("When."),
    actor: Type.String({ description: "Who: a user's id." }),
    actor_name: Type.String(),
    action: Type.String({ description: "What was done.", examples: ["project.create"] }),
    target: Type.String({ description: "To what: an id." }),
    address: Type.String({ description: "From where." }),
    request_id: Type.String(),
    detail: Type.Record(Type.String(), Type.Unknown(), {
      description: "What else is known of it; `api_key_id` if it was done with a key.",
    }),
  },
  { description: "A change that somebody made." },
);

const AuditPage = Page("entries", AuditEntry, "Changes, newest first.");

/** Who changed what. */
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
