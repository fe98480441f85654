import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Type } from "./schema.ts";

const applicationParams = Type.Object({ application_id: Id("application", "The application's id.") });

/** The largest source that can be uploaded. */
const maxSourceBytes = 64 * 1024 * 1024;

const PutSource = Type.Object(
  {
    application_id: Id("application", "The application."),
    base_project_id: StringOrNull("The run whose result the files are based on. Null if there is none."),
    files: Type.Integer({ description: "The number of files." }),
    size_bytes: Type.Integer({ description: "The total size of the files." }),
    put_at: Timestamp("When the files were uploaded."),
  },
  { description: "The files that the next run starts from." },
);

/** Sources: an application's files, which people may change between two runs. */
export const sourceEndpoints = {
  readSource: endpoint({
    method: "GET",
    path: "/api/v1/applications/{application_id}/source",
    tag: "Projects",
    summary: "Download the files that an application's next run starts from",
    description:
      "Returns the uploaded files, or else the deployed result. With `project_id`, returns the files of that run, with any conflict markers. `.slipway/source.json` records which run the files are based on; keep it.",
    access: withScope("projects:read"),
    params: applicationParams,
    query: query({ project_id: Type.Optional(Id("project", "The run whose files to return.")) }),
    isVersioned: true,
    success: [{ status: 200, description: "A tar archive.", mediaTypes: ["application/x-tar"] }],
    problems: ["not_found", "conflict", "overloaded"],
  }),
  putSource: endpoint({
    method: "PUT",
    path: "/api/v1/applications/{application_id}/source",
    tag: "Projects",
    summary: "Replace the files that an application's next run starts from",
    description:
      "The body is a tar archive of all files, at most 64 MiB. The service skips files that the archive's `.gitignore` excludes, unless they are in what the source was made from. The next run merges these files with those it generates from the document.",
    access: withScope("projects:manage"),
    params: applicationParams,
    query: query({
      project_id: Type.Optional(
        Id("project", "The run whose result the files are based on, if `.slipway/source.json` does not name it."),
      ),
    }),
    takesBytes: maxSourceBytes,
    success: [{ status: 200, description: "The files were stored.", schema: PutSource }],
    problems: ["not_found", "conflict", "invalid_body", "overloaded"],
  }),
} as const;
