import manifest from "../package.json" with { type: "json" };
import type { Command } from "./command.ts";
import { exitCode } from "./exit-code.ts";

export const version = manifest.version;

export const versionCommand: Command = {
  name: "version",
  description: "Print the version.",
  json: "print JSON, including the version of Node",
  run: async ({ terminal, options }) => {
    terminal.out(options.json ? JSON.stringify({ version, node: process.versions.node }, null, 2) : version);
    return exitCode.ok;
  },
};
