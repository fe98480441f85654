import type { ArtifactCommand } from "./context.ts";

const project = ["<project-id>", "the project"] as const;
const checkpoint = { flags: "--checkpoint <id>", description: "as it was at that checkpoint (default: as it is now)" };

/** Every `slipway artifacts …`. What carries one out is loaded when it is called. */
export const artifactCommands: Readonly<Record<string, ArtifactCommand>> = {
  list: {
    description: "List what a project has produced.",
    names: [project],
    options: [checkpoint, { flags: "--type <type>", description: "only of this type" }],
    run: async (context) => (await import("./list-artifacts.ts")).listArtifacts(context),
  },
  get: {
    description: "Download an artifact; a directory comes as a zip. What was cut off goes on where it was.",
    names: [project, ["<artifact>", "its type, path or file name"]],
    options: [
      { flags: "--output <path>", description: "the file or folder to write to; - writes to the standard output" },
      { flags: "--force", description: "write over a file that is there" },
      checkpoint,
    ],
    run: async (context) => (await import("./get-artifact.ts")).getArtifact(context),
  },
  put: {
    description: "Upload a file as an artifact, piece by piece.",
    names: [project, ["<file>", "the file"]],
    options: [
      { flags: "--type <type>", description: "what it is, such as documentation", isRequired: true },
      { flags: "--path <path>", description: "where it lies in the project's output (default: the file's name)" },
      { flags: "--media-type <type>", description: "its media type (default: by the path)" },
      { flags: "--resume <upload-id>", description: "go on with an upload that was cut off" },
    ],
    run: async (context) => (await import("./put-artifact.ts")).putArtifact(context),
  },
  verify: {
    description: "Read artifacts on the service, and compare them with their digests.",
    names: [["[project-id]", "the project (default: all that are yours)"]],
    run: async (context) => (await import("./verify-artifacts.ts")).verifyArtifacts(context),
  },
};
