import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { entry, Run } from "../../support/run-service.ts";

test.runIf(process.platform === "linux")(
  "why a folder cannot be packed is not told as a fault of the output",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "slipway-archive-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(Buffer.concat([Buffer.from(join(folder, "odd-")), Buffer.from([0xff])]), "");
    const { code, err } = await new Run(["archive", "pack", folder], { program: entry }).ended;
    expect([code, err]).toEqual([1, "slipway: 'odd-\\xff' has a name that is not valid UTF-8. Rename it.\n"]);
  },
);
