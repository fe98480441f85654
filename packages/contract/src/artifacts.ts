import { withAnyScope, withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { projectParams } from "./projects.ts";
import { type Static, Type } from "./schema.ts";
import { maxPieceBytes, maxSingleUploadBytes } from "./upload-limits.ts";

export const Artifact = Type.Object(
  {
    type: Type.String({ description: "The artifact's type.", examples: ["task_breakdown"] }),
    path: Type.String({
      description: "Its path in the project's output. A directory ends with '/'.",
      examples: ["tasks.yaml"],
    }),
    size_bytes: Type.Integer({ description: "Its size. For a directory, the size of all its files." }),
    modified: Timestamp("When it last changed."),
  },
  { description: "A result of a project." },
);

export type Artifact = Static<typeof Artifact>;

const ArtifactList = Type.Object(
  { artifacts: Type.Array(Artifact) },
  { description: "The artifacts, sorted by path." },
);

const SourceFile = Type.Object(
  {
    path: Type.String({ description: "The path in the source code.", examples: ["src/index.ts"] }),
    size_bytes: Type.Integer(),
    is_link: Type.Boolean({ description: "Whether it is a symbolic link; links cannot be downloaded." }),
    content_id: Type.String({ description: "Names the content: the same for the same bytes." }),
  },
  { description: "A file of the source code." },
);

export type SourceFile = Static<typeof SourceFile>;

const SourceFileList = Type.Object(
  {
    files: Type.Array(SourceFile, { description: "The first 10,000 files, sorted by path." }),
    files_total: Type.Integer({ description: "How many files there are." }),
  },
  { description: "The files of a project's source code." },
);

/** Type names are plain words, so that none can be mistaken for a path. */
const ArtifactType = Type.String({
  pattern: "^[a-z][a-z0-9_]{0,99}$",
  description: "The artifact's type.",
  examples: ["documentation"],
});

const ArtifactPath = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: "The relative path in the project's output, without '..'.",
  examples: ["docs/guide.md"],
});

const Sha256 = (description: string) =>
  Type.String({ minLength: 64, maxLength: 64, description, examples: ["0123456789abcdef".repeat(4)] });

const BeginUpload = Type.Object(
  {
    type: ArtifactType,
    path: ArtifactPath,
    size_bytes: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "The total size in bytes.",
      examples: [1_048_576],
    }),
    media_type: Type.Optional(
      Type.String({ maxLength: 200, description: "Its media type.", examples: ["application/zip"] }),
    ),
    sha256: Type.Optional(
      Sha256("The SHA-256 digest of the whole file. The service refuses a file that does not match."),
    ),
  },
  { additionalProperties: false },
);

export const Upload = Type.Object(
  {
    upload_id: Id("upload", "The upload's id."),
    project_id: Id("project", "The project's id."),
    type: Type.String({ description: "The artifact's type." }),
    path: Type.String({ description: "The artifact's path in the project's output." }),
    size_bytes: Type.Integer({ description: "The total size in bytes." }),
    offset: Type.Integer({ description: "How many bytes have arrived. The next chunk starts here." }),
    is_complete: Type.Boolean({ description: "Whether the upload is complete and the artifact is listed." }),
    expires_at: Timestamp("When the service discards the upload if it is incomplete."),
  },
  { description: "An artifact that is uploaded in chunks." },
);

export type Upload = Static<typeof Upload>;

const DamagedArtifact = Type.Object(
  {
    project_id: Id("project", "The project's id."),
    type: Type.String({ description: "The artifact's type." }),
    path: Type.String({ description: "The artifact's path in the project's output." }),
    checkpoint_id: StringOrNull("The checkpoint. Null for the current version."),
    sha256: Sha256("The expected digest."),
    problem: Type.Union([Type.Literal("missing"), Type.Literal("changed")], {
      description: "What is wrong with the stored bytes.",
    }),
  },
  { description: "An artifact whose stored bytes are missing or changed." },
);

export type DamagedArtifact = Static<typeof DamagedArtifact>;

export const ArtifactCheck = Type.Object(
  {
    checked: Type.Integer({ description: "How many distinct files were checked." }),
    checked_bytes: Type.Integer({ description: "How many bytes were checked." }),
    damaged: Type.Array(DamagedArtifact, { description: "The artifacts that are missing or changed." }),
    is_complete: Type.Boolean({ description: "False if the time limit ended the check. Continue from `next_after`." }),
    next_after: StringOrNull("Pass it as `after` to continue."),
  },
  { description: "The result of comparing stored bytes with their digests." },
);

export type ArtifactCheck = Static<typeof ArtifactCheck>;

const uploadParams = Type.Object({ upload_id: Id("upload", "The upload's id.") });

const checkpoint = Type.Optional(Id("checkpoint", "The version at this checkpoint. Defaults to the current version."));

/** Artifacts: what a project produces. */
export const artifactEndpoints = {
  listArtifacts: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/artifacts",
    tag: "Artifacts",
    summary: "List a project's artifacts",
    access: withScope("projects:read"),
    params: projectParams,
    query: query({ checkpoint, type: Type.Optional(ArtifactType) }),
    isVersioned: true,
    success: [{ status: 200, description: "The artifacts.", schema: ArtifactList }],
    problems: ["not_found"],
  }),
  listSourceFiles: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/source-files",
    tag: "Artifacts",
    summary: "List the files of a project's source code",
    description: "Two checkpoints differ in the files whose `content_id` differs. Each is an artifact at `source/…`.",
    access: withScope("projects:read"),
    params: projectParams,
    query: query({ checkpoint }),
    isVersioned: true,
    success: [{ status: 200, description: "The files.", schema: SourceFileList }],
    problems: ["not_found"],
  }),
  downloadArtifact: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/artifacts/{artifact}",
    endsInPath: true,
    tag: "Artifacts",
    summary: "Download an artifact by its type, path or file name",
    description:
      "The service looks the name up as a type, then a path, then a directory, then a file name. If several files have that name, the response is a 409 that lists them. A directory, or several files of one type, are returned as a zip. Source files are at `source/…`. Slashes need no encoding.",
    access: withScope("artifacts:download"),
    params: Type.Object({
      ...projectParams.properties,
      artifact: Type.String({
        minLength: 1,
        maxLength: 4_096,
        description: "Its type, path or file name.",
        examples: ["source_code"],
      }),
    }),
    query: query({ checkpoint }),
    headers: {
      Range: "A byte range of the file: `bytes=0-1023`.",
      "If-Range": "The ETag the range applies to. If the file has another ETag, the response is the whole file.",
    },
    isVersioned: true,
    success: [
      {
        status: 200,
        description: "The file. A directory is sent as a zip, created while it is sent.",
        mediaTypes: ["application/octet-stream", "application/zip", "*/*"],
        headers: ["Content-Disposition", "Accept-Ranges"],
      },
      {
        status: 206,
        description: "The requested range.",
        mediaTypes: ["application/octet-stream", "*/*"],
        headers: ["Content-Disposition", "Accept-Ranges"],
        optionalHeaders: ["Content-Range"],
      },
    ],
    problems: ["not_found", "conflict", "range_not_satisfiable", "artifact_damaged"],
  }),
  uploadArtifact: endpoint({
    method: "POST",
    path: "/api/v1/projects/{project_id}/artifacts",
    tag: "Artifacts",
    summary: "Upload an artifact: the body is its bytes",
    description:
      "Replaces an artifact with the same path. Requires permission to manage the project; a worker that holds a lease may upload its patch as type `patch` at `patches/{lease_id}.patch`, which only the service reads. The limit is 64 MiB. Upload larger files, or files over unreliable connections, in chunks.",
    access: withAnyScope("projects:manage", "agents:work"),
    params: projectParams,
    query: query({
      type: ArtifactType,
      path: ArtifactPath,
      lease_id: Type.Optional(Id("lease", "The lease the upload belongs to.")),
      fence: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 2_147_483_647,
          description: "The fence of the lease.",
          examples: [1],
        }),
      ),
    }),
    takesBytes: maxSingleUploadBytes,
    success: [{ status: 201, description: "The artifact.", schema: Artifact }],
    problems: ["not_found", "conflict", "quota_exceeded"],
  }),
  beginUpload: endpoint({
    method: "POST",
    path: "/api/v1/projects/{project_id}/uploads",
    tag: "Artifacts",
    summary: "Start a chunked upload of an artifact",
    description: "The service discards an incomplete upload after one day.",
    access: withScope("projects:manage"),
    params: projectParams,
    body: BeginUpload,
    success: [{ status: 201, description: "The upload.", schema: Upload, headers: ["Location", "Upload-Offset"] }],
    problems: ["not_found", "conflict", "invalid_body", "too_large", "quota_exceeded"],
  }),
  readUpload: endpoint({
    method: "GET",
    path: "/api/v1/uploads/{upload_id}",
    tag: "Artifacts",
    summary: "Read the progress of an upload",
    access: withScope("projects:manage"),
    params: uploadParams,
    success: [{ status: 200, description: "The upload.", schema: Upload, headers: ["Upload-Offset"] }],
    problems: ["not_found"],
  }),
  sendPiece: endpoint({
    method: "PATCH",
    path: "/api/v1/uploads/{upload_id}",
    tag: "Artifacts",
    summary: "Send the next chunk of an upload: the body is its bytes",
    description:
      "The limit is 16 MiB. The service stores a chunk completely or not at all. The last chunk creates the artifact; if that fails, an empty chunk at the end retries it.",
    access: withScope("projects:manage"),
    params: uploadParams,
    headers: { "Upload-Offset": "The offset of the chunk: how many bytes precede it." },
    takesBytes: maxPieceBytes,
    success: [{ status: 200, description: "The upload.", schema: Upload, headers: ["Upload-Offset"] }],
    problems: ["not_found", "conflict", "quota_exceeded"],
  }),
  cancelUpload: endpoint({
    method: "DELETE",
    path: "/api/v1/uploads/{upload_id}",
    tag: "Artifacts",
    summary: "Cancel an upload",
    access: withScope("projects:manage"),
    params: uploadParams,
    success: [{ status: 204, description: "The upload was cancelled." }],
    problems: ["not_found"],
  }),
  verifyArtifacts: endpoint({
    method: "POST",
    path: "/api/v1/projects/{project_id}/artifacts/verify",
    tag: "Artifacts",
    summary: "Check a project's artifacts against their digests",
    description: "Checks for at most 20 seconds, then returns where to continue.",
    access: withScope("projects:manage"),
    params: projectParams,
    query: query({
      after: Type.Optional(
        Type.String({
          maxLength: 64,
          description: "Where to continue: the `next_after` of the previous response.",
          examples: ["f".repeat(64)],
        }),
      ),
    }),
    success: [{ status: 200, description: "The result of the check.", schema: ArtifactCheck }],
    problems: ["not_found"],
  }),
} as const;
