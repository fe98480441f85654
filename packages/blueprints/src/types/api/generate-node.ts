import type { CompleteSpec } from "@slipway/spec";
import { FileSet } from "../../kit/file-set.ts";
import { type NodePackage, nodePackage } from "../../kit/node-package.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { placeOfMore, placeTests, testCommand } from "../../kit/test-places.ts";
import type { BuildTask } from "../../plugin.ts";
import { acceptanceTests } from "./acceptance-tests.ts";
import { modelFiles, sliceFiles } from "./generate-model.ts";
import type { Service } from "./read-service.ts";
import { uniqueNames } from "./unique-names.ts";

/** The program and its tests, as they stand beside this file: nothing of a document goes into them. */
export const apiSources = staticFiles(new URL("./files/node/", import.meta.url));

const usual = { unit: "test/unit/*.test.js", integration: "test/integration/*.test.js", e2e: "test/e2e/*.test.js" };

/** How the program is started, tested and asked for its health, and the package.json that says so. */
export function nodeProject(document: CompleteSpec, sources = apiSources): NodePackage & { readonly tests: FileSet } {
  const { tests, unmet } = placeTests(document, sources, usual);
  const paths = [
    ...tests.all.map(({ path }) => path),
    placeOfMore(document, "integration", usual.integration)("acceptance"),
  ];
  const folders = new Set(paths.map((path) => path.replace(/[^/]*$/, `*${suffixOf(path)}`)));
  const command = testCommand(paths) === "node --test" ? "node --test" : `node --test ${[...folders].join(" ")}`;
  const made = nodePackage(document, {
    commands: { test: command, start: "node src/server.js", health_check: "node src/health-check.js" },
    more: { migrate: "node src/migrate.js" },
    folders: ["src", "model", "testing"],
  });
  return { ...made, tests, unmet: [...made.unmet, ...unmet] };
}

function suffixOf(path: string): string {
  return /(?:[._-](?:test|spec))?\.\w+$/.exec(path)?.[0] ?? ".js";
}

/** What the service is made of whatever is asked of it: the program, its tests, and the resources that are declared. */
export function nodeFoundation(document: CompleteSpec, service: Service, sources = apiSources): FileSet {
  const { files, tests } = nodeProject(document, sources);
  const foundation = new FileSet().addAll(files).addAll(tests).addAll(modelFiles(service));
  for (const [path, text] of sources) if (!path.startsWith("tests/")) foundation.add(path, text);
  return foundation;
}

/** What a task adds for its lines of acceptance: resources and routes that only they ask for, and their tests. */
export function nodeSlice(
  document: CompleteSpec,
  service: Service,
  { id, lines }: Pick<BuildTask, "id" | "lines">,
): FileSet {
  const slice = sliceFiles(service, lines);
  const tests = acceptanceTests(lines, service.requests);
  if (tests === undefined) return slice;
  const [name = "task"] = uniqueNames([id], "task");
  return slice.add(
    placeOfMore(document, "integration", usual.integration)(`acceptance-${name.replaceAll("_", "-")}`),
    tests,
  );
}
