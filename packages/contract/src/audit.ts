import { adminOnly } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Timestamp } from "./ids.ts";
import { IntegerOrNull, StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { type Static, Type } from "./schema.ts";

const maxPosition = Number.MAX_SAFE_INTEGER;

const Hash = Type.String({ pattern: "^[0-9a-f]{64}$", description: "A SHA-256 in hexadecimal." });

const AuditEntry = Type.Object(
  {
    id: Type.String(),
    position: IntegerOrNull("The place in the hash chain, from 1. Null until the entry is sealed, seconds later."),
    hash: StringOrNull("The SHA-256 of the previous hash and of this entry. Null until the entry is sealed."),
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

const AuditCheck = Type.Object(
  {
    is_intact: Type.Boolean({ description: "Whether every entry that was checked is as it was sealed." }),
    checked: Type.Integer({ description: "The number of entries that were checked." }),
    last: Type.Union(
      [Type.Object({ position: Type.Integer(), hash: Hash }, { description: "The last entry checked." }), Type.Null()],
      { description: "Where the check ended. Null if there was nothing to check." },
    ),
    has_more: Type.Boolean({ description: "Whether to go on with `after` set to the last position." }),
    unsealed: Type.Integer({ description: "The number of entries that are not sealed yet." }),
    problem: StringOrNull("What is wrong, and at which position. Null if nothing is."),
  },
  { description: "The result of a check of the hash chain." },
);

export type AuditEntry = Static<typeof AuditEntry>;
export type AuditCheck = Static<typeof AuditCheck>;

/** The audit log: who changed what. */
export const auditEndpoints = {
  listAudit: endpoint({
    method: "GET",
    path: "/api/v1/audit",
    tag: "Operations",
    summary: "List changes, newest first",
    access: adminOnly,
    query: query({
      ...pageQuery,
      actor: Type.Optional(
        Type.String({ maxLength: 200, description: "The id or the name of the user.", examples: ["ada@example.com"] }),
      ),
      action: Type.Optional(
        Type.String({
          maxLength: 100,
          description: "The action; `project.*` for every action on projects.",
          examples: ["project.*"],
        }),
      ),
      target: Type.Optional(
        Type.String({
          maxLength: 200,
          description: "The id of what was changed.",
          examples: ["proj_01kaw3v9t2h5m8q1x7zc"],
        }),
      ),
      since: Type.Optional(Timestamp("Changes at or after this time.")),
      until: Type.Optional(Timestamp("Changes before this time.")),
    }),
    success: [{ status: 200, description: "A page of changes.", schema: AuditPage }],
    problems: [],
  }),
  checkAudit: endpoint({
    method: "GET",
    path: "/api/v1/audit/check",
    tag: "Operations",
    summary: "Check that nobody changed the audit log",
    description:
      "Recomputes the hash chain over at most 10,000 entries. A change, a removal or an insertion breaks it. To find out whether the end was cut off, keep `last` elsewhere and compare.",
    access: adminOnly,
    query: query({
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: maxPosition,
          default: 0,
          description: "Check what follows this position.",
        }),
      ),
      through: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxPosition, description: "End with this position.", examples: [120] }),
      ),
    }),
    success: [{ status: 200, description: "The result of the check.", schema: AuditCheck }],
    problems: [],
  }),
} as const;
