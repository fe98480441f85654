import manifest from "../package.json" with { type: "json" };
import type { Command } from "./command.ts";
import { exitCode } from "./exit-code.ts";
import { toJson } from "./output/to-json.ts";

export const version = manifest.version;

export const versionCommand: Command = {
  name: "version",
  description: "Print the version.",
  json: "print JSON, including the version of Node",
  run: async ({ terminal, options }) => {
    terminal.out(options.json ? toJson({ version, node: process.versions.node }) : version);
    return exitCode.ok;
  },
};
