import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { runGit } from "../../../src/platform/git/run-git.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { processWithId } from "../../support/process-with-id.ts";
import { until } from "../../support/until.ts";

test("who has the id of a git that has ended is not killed with what that has left", async ({ skip }) => {
  // It keeps the output open, out of git's group.
  const { repository, noted } = gitThat("setsid sleep 1000 & echo $! $$ > noted.new; mv noted.new noted");
  const cancel = new AbortController();
  const run = runGit(repository, ["cat-file"], { signal: cancel.signal });
  const [left, git] = await until(noted);
  onTestFinished(() => void process.kill(left!, "SIGKILL"));
  await until(() => !existsSync(`/proc/${git}`));
  const other = await processWithId(git!);
  if (other === undefined) return skip("only the system chooses ids of processes");
  cancel.abort(new Error("cancelled"));
  await expect(run).rejects.toThrow("cancelled");
  expect(await other.end()).toBe(constants.signals.SIGTERM);
});

test("what git has started, and left, ends with it", async () => {
  const { repository } = gitThat("sleep 1000 & exit 0");
  expect(await runGit(repository, ["cat-file"])).toMatchObject({ code: 0 });
});

/** In place of git, and the numbers that it writes down. */
function gitThat(script: string) {
  const place = mkdtempSync(join(tmpdir(), "slipway-git-"));
  onTestFinished(() => removeFolder(place));
  writeFileSync(join(place, "git"), `#!/bin/sh\ncd ${place} || exit\n${script}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${place}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const path = join(place, "noted");
  const noted = () => (existsSync(path) ? readFileSync(path, "utf8").split(" ").map(Number) : undefined);
  return { repository: { gitDir: place, limitMs: 60_000 }, noted };
}
