import { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import type { MakeCommand } from "./command.ts";

export const version = manifest.version;

export const versionCommand: MakeCommand = ({ out }) =>
  new Command("version")
    .description("Print the version.")
    .option("--json", "for machines, with the version of Node")
    .action(({ json }: { json?: true }) => {
      out(json ? JSON.stringify({ version, node: process.versions.node }, null, 2) : version);
    });
