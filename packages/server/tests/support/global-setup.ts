import type { TestProject } from "vitest/node";
import { prepareTestServer } from "./database/test-server.ts";
import { fetchPrograms } from "./fetch-programs.ts";

/**
 * Fetches programs that tests run, and names the folder of the database server that all tests of this run share; the first
 * test that needs it starts it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  fetchPrograms();
  const server = await prepareTestServer();
  project.provide("testServerFolder", server.folder);
  return server.remove;
}

declare module "vitest" {
  export interface ProvidedContext {
    testServerFolder: string;
  }
}
