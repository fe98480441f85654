import type { TestProject } from "vitest/node";
import { bundleProgram, command, service } from "../../../../tools/bundle-programs.ts";
import { fetchPrograms } from "../../../../tools/fetch-programs.ts";
import { prepareRunFolder } from "./database/test-server.ts";
import { nodeProgram } from "./engine/node-program.ts";
import { preferRealPython } from "./prefer-real-python.ts";

/**
 * Fetches and bundles programs that tests run, and makes the folder of this run: the first test that needs the shared database server
 * starts it there, and the first that needs a folder with a database of its own puts the model there.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await fetchPrograms();
  preferRealPython();
  await bundleProgram(service);
  await bundleProgram(command);
  await bundleProgram(nodeProgram);
  const { folder, remove } = await prepareRunFolder();
  project.provide("runFolder", folder);
  return remove;
}

declare module "vitest" {
  export interface ProvidedContext {
    runFolder: string;
  }
}
