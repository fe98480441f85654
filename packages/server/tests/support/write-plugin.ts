import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type PluginSettings, readPluginSettings } from "../../src/platform/plugins/plugin-settings.ts";

/** A plugin as an operator declares it in the least words. */
export function pluginSettings(written: { readonly name: string; readonly path?: string }): PluginSettings {
  return readPluginSettings([written], "slipway.yaml")[0]!;
}

/** A package of a plugin in a folder of its own, which is gone after the test. */
export async function writePlugin(name: string, source: string): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), "slipway-plugin-test-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  return writePackage(join(place, "package"), name, source);
}

export async function writePackage(folder: string, name: string, source: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name, version: "1.2.3", type: "module", exports: "./index.js" }),
  );
  await writeFile(join(folder, "index.js"), source);
  return folder;
}

interface Bodies {
  /** What stands before it. */
  readonly top?: string;
  readonly type?: string;
  readonly plan?: string;
  readonly build?: string;
  /** What it exports besides its type. */
  readonly rest?: string;
}

/** The source of a plugin with one type; by default one that says so in a file. */
export function pluginSource(name: string, { top = "", type = "", plan, build, rest = "" }: Bodies = {}): string {
  return `${top}
export default {
  api_version: "v1",
  name: ${JSON.stringify(name)},
  version: "1.2.3",
  outcome_types: [
    {
      name: "fleet",
      languages: ["javascript"],
      ${type}
      plan(document) { ${plan ?? 'return { scripts: { test: "node --test" }, unmet: [] };'} },
      async build(task, workspace) { ${build ?? 'await workspace.write("ships.txt", workspace.document.ships + "\\n");'} },
    },
  ],
  ${rest}
};
`;
}

export const fleetDocument = `spec_version: "1.0.0"
id: fleet
name: Fleet
description: Sails.
outcome_type: fleet
plugins: [fleet]
stack: {}
acceptance: {}
ships: 3
`;
