import { type Static, Type } from "typebox";
import { Id, Timestamp } from "./ids.ts";

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

export const ArtifactList = Type.Object({ artifacts: Type.Array(Artifact) }, { description: "The artifacts by path." });

/** Names of types are words, so that none of them can be taken for a path. */
export const ArtifactType = Type.String({
  pattern: "^[a-z][a-z0-9_]{0,99}$",
  description: "What it is.",
  examples: ["documentation"],
});

export const ArtifactPath = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: "Where it lies in the project's output: relative, without '..'.",
  examples: ["docs/guide.md"],
});

const Sha256 = (description: string) =>
  Type.String({ minLength: 64, maxLength: 64, description, examples: ["0123456789abcdef".repeat(4)] });

export const BeginUpload = Type.Object(
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
    checkpoint_id: Type.Union([Type.String(), Type.Null()], { description: "Null: as it is now." }),
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
    next_after: Type.Union([Type.String(), Type.Null()], { description: "Where to go on, for `after`." }),
  },
  { description: "Whether the bytes of artifacts are what they were." },
);
export type ArtifactCheck = Static<typeof ArtifactCheck>;
