import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { runCommand } from "../../src/app/run-command.ts";

test.runIf(process.platform === "linux")("a disk that takes no files is told in a line, not by a stack", async () => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-command-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const before = process.exitCode;
  onTestFinished(() => {
    vi.unstubAllEnvs();
    written.mockRestore();
    process.exitCode = before;
  });
  // Room for no name but short ones: a disk is not as easily had that is full.
  const long = join(folder, ...Array.from({ length: 40 }, () => "d".repeat(100)));
  const data = long.slice(0, 4_070);
  await mkdir(data, { recursive: true });
  vi.stubEnv("SLIPWAY_SANDBOX", "none");
  await runCommand(["plugins", "add", folder, "--data", data]);
  expect(written.mock.lastCall?.[0]).toMatch(/^slipway: a file cannot be used: ENAMETOOLONG: .*\n$/);
  expect(process.exitCode).toBe(1);
});
