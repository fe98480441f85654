// @module-tag long
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startService, usedDataFolder } from "../support/run-service.ts";
import { until } from "../support/until.ts";

test("a node that only answers the API is ready while temporary files of an earlier one are still being removed", async () => {
  const data = await usedDataFolder();
  const left = await leaveTemporaryFolder(data);
  for (let n = 0; n < 200; n += 1) writeFileSync(join(left, `file-${n}`), "");
  const programs = join(dirname(data), "programs");
  mkdirSync(programs);
  chmodSync(programs, 0o777);
  const [pipe, mark] = [join(programs, "pipe"), join(programs, "began")];
  execFileSync("mkfifo", [pipe]);
  // Never ends by itself: nobody writes into the pipe.
  writeFileSync(join(programs, "rm"), `#!/bin/sh\necho > ${mark}\nexec cat ${pipe}\n`, { mode: 0o755 });

  const env = { PATH: `${programs}:${process.env["PATH"]}` };
  const service = await startService(data, ["--roles", "api"], { env });
  await until(() => existsSync(mark));
  expect((await service.call("/api/v1/projects")).status).toBe(200);
  expect((await service.stop()).code).toBe(0);
});

/** A temporary folder in the data folder, of a process that was killed. */
async function leaveTemporaryFolder(data: string): Promise<string> {
  const program = fileURLToPath(new URL("../support/make-temporary-folders.ts", import.meta.url));
  const child = spawn(process.execPath, [program, data, dirname(data)], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  const folders = JSON.parse(line as string) as string[];
  onTestFinished(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  return folders.at(-1)!;
}
