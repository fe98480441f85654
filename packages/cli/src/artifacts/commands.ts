import type { CommandGroup } from "../command.ts";

const project = { name: "<project-id>", description: "the project" };
const checkpoint = {
  flags: "--checkpoint <id>",
  description: "the version at this checkpoint (default: the current version)",
};

export const artifactCommands: CommandGroup = {
  name: "artifacts",
  description: "List, download, upload and verify artifacts of projects.",
  exitCodes: { 1: "an artifact is damaged or incomplete", 4: "the project or artifact does not exist" },
  commands: [
    {
      name: "list",
      description: "List a project's artifacts.",
      arguments: [project],
      options: [checkpoint, { flags: "--type <type>", description: "only artifacts of this type" }],
      needs: "api",
      run: async (context) => (await import("./list-artifacts.ts")).listArtifacts(context),
    },
    {
      name: "get",
      description: "Download an artifact; a directory is downloaded as a zip. Resumes an interrupted download.",
      arguments: [project, { name: "<artifact>", description: "its type, path or file name" }],
      options: [
        { flags: "--output <path>", description: "the file or folder to write to; '-' writes to standard output" },
        { flags: "--force", description: "overwrite an existing file" },
        checkpoint,
      ],
      needs: "api",
      run: async (context) => (await import("./get-artifact.ts")).getArtifact(context),
    },
    {
      name: "put",
      description: "Upload a file as an artifact, in chunks.",
      arguments: [project, { name: "<file>", description: "the file" }],
      options: [
        { flags: "--type <type>", description: "the artifact's type, such as documentation", isRequired: true },
        { flags: "--path <path>", description: "its path in the project's output (default: the file's name)" },
        { flags: "--media-type <type>", description: "its media type (default: derived from the path)" },
        { flags: "--resume <upload-id>", description: "continue an interrupted upload" },
      ],
      needs: "api",
      run: async (context) => (await import("./put-artifact.ts")).putArtifact(context),
    },
    {
      name: "verify",
      description: "Check stored artifacts against their digests.",
      arguments: [{ name: "[project-id]", description: "the project (default: all projects)" }],
      needs: "api",
      run: async (context) => (await import("./verify-artifacts.ts")).verifyArtifacts(context),
    },
  ],
};
