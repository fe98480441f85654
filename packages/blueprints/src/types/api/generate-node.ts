import type { CompleteSpec } from "@slipway/spec";
import { nodeProject } from "../../kit/node-project.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { placeOfMore, testCommand } from "../../kit/test-places.ts";
import { modelFiles, sliceFiles } from "./generate-model.ts";
import { nodeAcceptanceTests } from "./generate-node-tests.ts";
import type { GeneratedService } from "./generated-service.ts";
import type { Service } from "./read-service.ts";
import { uniqueNames } from "./unique-names.ts";

/** The program and its tests, as they are in `files/`: nothing of a document goes into them. */
export const apiTemplates = staticFiles(new URL("./files/node/", import.meta.url));

const testGlobs = {
  unit: "test/unit/*.test.js",
  integration: "test/integration/*.test.js",
  e2e: "test/e2e/*.test.js",
};

/** The service in plain JavaScript for Node. */
export function generateNode(document: CompleteSpec, service: Service, templates = apiTemplates): GeneratedService {
  const place = placeOfMore(document, "integration", testGlobs.integration);
  const { scripts, unmet, files } = nodeProject(document, templates, {
    testGlobs,
    testCommand: (paths) => commandFor([...paths, place("acceptance")]),
    commands: { start: "node src/server.js", health_check: "node src/health-check.js" },
    more: { migrate: "node src/migrate.js" },
    folders: ["src", "model", "testing"],
    // The first with SQLite built in, without a flag.
    manifest: { engines: { node: ">=22.13" } },
  });
  return {
    scripts,
    unmet,
    foundation: () => files().addAll(modelFiles(service)),
    slice: ({ id, lines }) => {
      const slice = sliceFiles(service, lines);
      const tests = nodeAcceptanceTests(lines, service.requests);
      if (tests === undefined) return slice;
      const [name = "task"] = uniqueNames([id], "task");
      return slice.add(place(`acceptance-${name.replaceAll("_", "-")}`), tests);
    },
  };
}

/** Names folders, not files, because tasks add their own tests. */
function commandFor(paths: readonly string[]): string {
  if (testCommand(paths) === "node --test") return "node --test";
  const folders = new Set(paths.map((path) => path.replace(/[^/]*$/, `*${suffixOf(path)}`)));
  return `node --test ${[...folders].join(" ")}`;
}

function suffixOf(path: string): string {
  return /(?:[._-](?:test|spec))?\.\w+$/.exec(path)?.[0] ?? ".js";
}
