import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeContainers } from "../../../src/deployment/containers/remove-containers.ts";
import { testFolder } from "../../support/database/run-starter.ts";

test("a container that the engine could not remove for a moment is removed all the same", async () => {
  const folder = await testFolder();
  const engine = join(folder, "engine.sh");
  const calls = join(folder, "calls");
  // It fails the first time it is called.
  writeFileSync(engine, `echo "$*" >> ${calls}; test $(wc -l < ${calls}) -gt 1 || { echo busy >&2; exit 1; }`);
  await removeContainers({ command: ["sh", engine], kind: "podman" }, ["one", "two"]);
  expect(readFileSync(calls, "utf8")).toBe("rm --force --volumes --time 0 one two\n".repeat(2));
});
