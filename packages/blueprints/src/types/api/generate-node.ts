import type { CompleteSpec } from "@slipway/spec";
import { nodeProject } from "../../kit/node-project.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { testCommand } from "../../kit/test-places.ts";
import { modelFiles } from "./generate-model.ts";
import type { GeneratedService } from "./generated-service.ts";
import type { Service } from "./read-service.ts";

/** The program and its tests, as they are in `files/`: nothing of a document goes into them. */
export const apiTemplates = staticFiles(new URL("./files/node/", import.meta.url));

/** Most of a test file's time is its start: on two cores Node runs one file at a time unless told otherwise. */
const testCommandOfService = (paths: readonly string[]) =>
  testCommand(paths).replace("node --test", "node --test --test-concurrency=4");

const testGlobs = {
  unit: "test/unit/*.test.js",
  integration: "test/integration/*.test.js",
  e2e: "test/e2e/*.test.js",
};

/** The service in plain JavaScript for Node. */
export function generateNode(document: CompleteSpec, service: Service, templates = apiTemplates): GeneratedService {
  const { scripts, unmet, files } = nodeProject(document, templates, {
    testGlobs,
    testCommand: testCommandOfService,
    commands: { start: "node src/server.js", health_check: "node src/health-check.js" },
    more: { migrate: "node src/migrate.js" },
    folders: ["src", "model", "testing"],
    // The first with SQLite built in, without a flag.
    manifest: { engines: { node: ">=22.13" } },
  });
  return { scripts, unmet, files: () => files().addAll(modelFiles(service)) };
}
