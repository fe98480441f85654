import { type Static, Type } from "typebox";
import { withAnyScope, withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { projectParams } from "./projects.ts";

/** What an upload in one request may have at most. */
export const largestUploadBytes = 64 * 1024 * 1024;

/** What one piece of an upload may have at most. */
export const largestPieceBytes = 16 * 1024 * 1024;

export const Artifact = Type.Object(
  {
    type: Type.String({ description: "What it is.", examples: ["task_breakdown"] }),
    path: Type.String({
      description: "Where it lies in the project's output; a directory ends with '/'.",
      examples: ["tasks.yaml"],
    }),
    size_bytes: Type.Integer({ description: "Its size; of a directory, that of all its files." }),
    modified: Timestamp("When it changed last."),
  },
  { description: "Something that a project produced." },
);

export type Artifact = Static<typeof Artifact>;

const ArtifactList = Type.Object({ artifacts: Type.Array(Artifact) }, { description: "The artifacts by path." });

/** Names of types are words, so that none of them can be taken for a path. */
const ArtifactType = Type.String({
  pattern: "^[a-z][a-z0-9_]{0,99}$",
  description: "What it is.",
  examples: ["documentation"],
});

const ArtifactPath = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: "Where it lies in the project's output: relative, without '..'.",
  examples: ["docs/guide.md"],
});

const Sha256 = (description: string) =>
  Type.String({ minLength: 64, maxLength: 64, description, examples: ["0123456789abcdef".repeat(4)] });

const BeginUpload = Type.Object(
  {
    type: ArtifactType,
    path: ArtifactPath,
    size_bytes: Type.Integer({ minimum: 0, description: "How many bytes there will be.", examples: [1_048_576] }),
    media_type: Type.Optional(
      Type.String({ maxLength: 200, description: "Its media type.", examples: ["application/zip"] }),
    ),
    sha256: Type.Optional(Sha256("The digest of all bytes; what arrives otherwise is refused.")),
  },
  { additionalProperties: false },
);

export const Upload = Type.Object(
  {
    upload_id: Id("upload", "The upload's id."),
    project_id: Id("project", "The project's id."),
    type: Type.String({ description: "What it is." }),
    path: Type.String({ description: "Where it is to lie in the project's output." }),
    size_bytes: Type.Integer({ description: "How many bytes there will be." }),
    offset: Type.Integer({ description: "How many bytes are here: the next piece begins there." }),
    is_complete: Type.Boolean({ description: "All bytes are here, and the artifact is listed." }),
    expires_at: Timestamp("When it is forgotten if it is not complete by then."),
  },
  { description: "An artifact that arrives in pieces." },
);

export type Upload = Static<typeof Upload>;

const DamagedArtifact = Type.Object(
  {
    project_id: Id("project", "The project's id."),
    type: Type.String({ description: "What it is." }),
    path: Type.String({ description: "Where it lies in the project's output." }),
    checkpoint_id: StringOrNull("Null: as it is now."),
    sha256: Sha256("What its bytes should have as their digest."),
    problem: Type.Union([Type.Literal("missing"), Type.Literal("changed")], { description: "What is wrong with it." }),
  },
  { description: "An artifact whose bytes are not what they were." },
);

export type DamagedArtifact = Static<typeof DamagedArtifact>;

export const ArtifactCheck = Type.Object(
  {
    checked: Type.Integer({ description: "How many different contents were read." }),
    checked_bytes: Type.Integer({ description: "How many bytes that were." }),
    damaged: Type.Array(DamagedArtifact, { description: "What is missing or changed." }),
    is_complete: Type.Boolean({ description: "False: the time ran out; ask again from `next_after`." }),
    next_after: StringOrNull("Where to go on, for `after`."),
  },
  { description: "Whether the bytes of artifacts are what they were." },
);

export type ArtifactCheck = Static<typeof ArtifactCheck>;

const uploadParams = Type.Object({ upload_id: Id("upload", "The upload's id.") });

const checkpoint = Type.Optional(Id("checkpoint", "As it was at that checkpoint; without it, as it is now."));

/** What a project brings forth: listed, downloaded, uploaded, checked. */
export const artifactEndpoints = {
  listArtifacts: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/artifacts",
    tag: "Artifacts",
    summary: "List what a project has produced",
    access: withScope("projects:read"),
    params: projectParams,
    query: query({ checkpoint, type: Type.Optional(ArtifactType) }),
    isVersioned: true,
    success: [{ status: 200, description: "The artifacts.", schema: ArtifactList }],
    problems: ["not_found"],
  }),
  downloadArtifact: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/artifacts/{artifact}",
    endsInPath: true,
    tag: "Artifacts",
    summary: "Download an artifact by its type, path or file name",
    description:
      "What is named is taken for a type, then for a path, then for a directory, then for a file name; two files of that name are a 409 that lists them. A directory, or several files of one type, come as a zip. Files of the source code are at `source/…`. Slashes may be written as they are.",
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
      Range: "A part of a file: `bytes=0-1023`.",
      "If-Range": "The ETag for which the part is wanted; another one gets all of it.",
    },
    isVersioned: true,
    success: [
      {
        status: 200,
        description: "The bytes; of a directory a zip, made while it is sent.",
        mediaTypes: ["application/octet-stream", "application/zip", "*/*"],
        headers: ["Content-Disposition", "Accept-Ranges"],
      },
      {
        status: 206,
        description: "The part that was asked for.",
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
      "In the place of the one that has its path. Who may manage the project may do so; a worker with its lease may upload its patch, of type `patch` at `patches/{lease_id}.patch`. At most 64 MiB; larger ones, and over bad connections, in pieces.",
    access: withAnyScope("projects:manage", "agents:work"),
    params: projectParams,
    query: query({
      type: ArtifactType,
      path: ArtifactPath,
      lease_id: Type.Optional(Id("lease", "The lease it is uploaded for.")),
      fence: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 2_147_483_647,
          description: "The number that came with the lease.",
          examples: [1],
        }),
      ),
    }),
    takesBytes: largestUploadBytes,
    success: [{ status: 201, description: "The artifact.", schema: Artifact }],
    problems: ["not_found", "conflict", "quota_exceeded"],
  }),
  beginUpload: endpoint({
    method: "POST",
    path: "/api/v1/projects/{project_id}/uploads",
    tag: "Artifacts",
    summary: "Begin to upload an artifact in pieces",
    description: "It is forgotten after a day if it is not complete by then.",
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
    summary: "Read how far an upload is",
    access: withScope("projects:manage"),
    params: uploadParams,
    success: [{ status: 200, description: "The upload.", schema: Upload, headers: ["Upload-Offset"] }],
    problems: ["not_found"],
  }),
  sendPiece: endpoint({
    method: "PATCH",
    path: "/api/v1/uploads/{upload_id}",
    tag: "Artifacts",
    summary: "Send the next piece of an upload: the body is its bytes",
    description:
      "At most 16 MiB. It counts whole or not at all. The last piece makes the artifact; an empty one at the end does so again if that went wrong.",
    access: withScope("projects:manage"),
    params: uploadParams,
    headers: { "Upload-Offset": "Where the piece begins: how many bytes came before it." },
    takesBytes: largestPieceBytes,
    success: [{ status: 200, description: "The upload.", schema: Upload, headers: ["Upload-Offset"] }],
    problems: ["not_found", "conflict", "quota_exceeded"],
  }),
  cancelUpload: endpoint({
    method: "DELETE",
    path: "/api/v1/uploads/{upload_id}",
    tag: "Artifacts",
    summary: "Give up an upload",
    access: withScope("projects:manage"),
    params: uploadParams,
    success: [{ status: 204, description: "It is forgotten." }],
    problems: ["not_found"],
  }),
  verifyArtifacts: endpoint({
    method: "POST",
    path: "/api/v1/projects/{project_id}/artifacts/verify",
    tag: "Artifacts",
    summary: "Read a project's artifacts, and compare them with their digests",
    description: "It reads for at most 20 seconds, and says where to go on.",
    access: withScope("projects:manage"),
    params: projectParams,
    query: query({
      after: Type.Optional(Type.String({ maxLength: 64, description: "Goes on there.", examples: ["f".repeat(64)] })),
    }),
    success: [{ status: 200, description: "What was found.", schema: ArtifactCheck }],
    problems: ["not_found"],
  }),
} as const;
