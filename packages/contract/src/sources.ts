import { Type } from "typebox";
import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";

const applicationParams = Type.Object({ application_id: Id("application", "The application's id.") });

/** What a source may have at most. */
const largestSourceBytes = 64 * 1024 * 1024;

const PutSource = Type.Object(
  {
    application_id: Id("application", "The application."),
    base_project_id: StringOrNull("The run whose result it was made from; null: none."),
    files: Type.Integer({ description: "How many files it has." }),
    size_bytes: Type.Integer({ description: "How large they are together." }),
    put_at: Timestamp("When it was put."),
  },
  { description: "The source that the next run begins from." },
);

/** The files of an application, which people may change between two runs. */
export const sourceEndpoints = {
  readSource: endpoint({
    method: "GET",
    path: "/api/v1/applications/{application_id}/source",
    tag: "Projects",
    summary: "Download the files that the next run of an application begins from",
    description:
      "What was put, or else the result that is live. With `project_id` the files of that run, with the conflicts that are marked in them. `.slipway/source.json` says what they were made from: leave it there.",
    access: withScope("projects:read"),
    params: applicationParams,
    query: query({ project_id: Type.Optional(Id("project", "The run whose files it is about.")) }),
    isVersioned: true,
    success: [{ status: 200, description: "A tar archive.", mediaTypes: ["application/x-tar"] }],
    problems: ["not_found", "conflict", "overloaded"],
  }),
  putSource: endpoint({
    method: "PUT",
    path: "/api/v1/applications/{application_id}/source",
    tag: "Projects",
    summary: "Change the files that the next run of an application begins from",
    description:
      "The body is a tar archive of all of them, of at most 64 MiB. What its `.gitignore` leaves out is not taken. The next run merges them with what the builder makes of the document then.",
    access: withScope("projects:manage"),
    params: applicationParams,
    query: query({
      project_id: Type.Optional(
        Id("project", "The run whose result it was made from, where `.slipway/source.json` does not say so."),
      ),
    }),
    headers: { "If-Match": "The ETag of the files that you have changed: refused if there are newer ones." },
    takesBytes: largestSourceBytes,
    success: [{ status: 200, description: "It is kept.", schema: PutSource }],
    problems: ["not_found", "conflict", "invalid_body", "overloaded"],
  }),
} as const;
