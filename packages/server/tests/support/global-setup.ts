import type { TestProject } from "vitest/node";
import { prepareRunFolder } from "./database/test-server.ts";
import { fetchPrograms } from "./fetch-programs.ts";

/**
 * Fetches programs that tests run, and makes the folder of this run: the first test that needs the shared database server
 * starts it there, and the first that needs a folder with a database of its own puts the model there.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  fetchPrograms();
  const { folder, remove } = await prepareRunFolder();
  project.provide("runFolder", folder);
  return remove;
}

declare module "vitest" {
  export interface ProvidedContext {
    runFolder: string;
  }
}
