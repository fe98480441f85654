import type { CommandGroup } from "../command.ts";

const application = { name: "<id>", description: "the application's id, its document's id, or one of its projects" };

export const sourceCommands: CommandGroup = {
  name: "source",
  description: "Change the files of an application between two runs of its document.",
  notes: `The next run merges your changes with the files it generates. If both changed the same lines, the run fails and lists
the files: get that project's files, resolve the conflict markers, put the files, and run the document again.
'get' and 'put' skip '.git', 'node_modules' and what '.gitignore' excludes.`,
  exitCodes: { 4: "the application or project does not exist" },
  examples: [
    "slipway source get proj_01kaw3v9t2h5m8q1x7zc shop",
    "slipway source put proj_01kaw3v9t2h5m8q1x7zc shop",
    "slipway run shop.yaml --source shop",
  ],
  commands: [
    {
      name: "get",
      description: "Download the files that the next run starts from, or those of a project, into a new folder.",
      arguments: [application, { name: "<folder>", description: "the folder to create" }],
      examples: ["slipway source get shop files"],
      needs: "api",
      run: async (context) => (await import("./transfer-source.ts")).getSource(context),
    },
    {
      name: "put",
      description: "Upload the files of a folder. The next run starts from them and merges its changes into them.",
      arguments: [application, { name: "<folder>", description: "the folder with the files" }],
      examples: ["slipway source put shop files"],
      needs: "api",
      run: async (context) => (await import("./transfer-source.ts")).putSource(context),
    },
  ],
};
