import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { conflictingPaths } from "../../../src/platform/git/conflicting-paths.ts";
import { makeRepository, rootCommit } from "../../../src/platform/git/index.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { measureHolding } from "../../support/measure-holding.ts";

test("conflicts over very many paths that git makes up hold nobody up", async () => {
  const place = mkdtempSync(join(tmpdir(), "slipway-conflicts-"));
  onTestFinished(() => removeFolder(place));
  const repository = { gitDir: join(place, "repo.git"), limitMs: 60_000 };
  await makeRepository(repository);
  const names = Array.from({ length: 40_000 }, (_, at) => `e/${at}`);
  const messages = names.flatMap((path) => ["2", path, path.replace("e", "d"), "CONFLICT (file location)", "…"]);
  const sides = { base: rootCommit, mine: rootCommit, head: rootCommit };
  const { done, heldMs } = await measureHolding(() => conflictingPaths(repository, sides, [...names, "", ...messages]));
  expect(done).toEqual(names);
  // By going through all messages for each path it was 44 s.
  expect(heldMs).toBeLessThan(2_000);
});
