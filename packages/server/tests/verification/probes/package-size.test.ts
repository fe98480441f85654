import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { packageSize } from "../../../src/verification/probes/package-size.ts";
import { doWork } from "../../support/workspaces/test-workspaces.ts";

/** What npm 11 packs of a file, by the manifest: undefined where that is a question of how it reads a pattern. */
const packed: Readonly<Record<string, [manifest: object, path: string, isPacked: boolean | undefined]>> = {
  "in a listed folder": [{ files: ["./dist/"] }, "dist/a.js", true],
  "in another folder": [{ files: ["dist"] }, "test/a.js", false],
  "listed in other letters": [{ files: ["A.JS"] }, "a.js", true],
  "listed by a way about": [{ files: ["lib/../dist"] }, "dist/a.js", true],
  "listed with slashes": [{ files: ["lib//dist"] }, "lib/dist/a.js", true],
  "of a package in a listed folder": [{ files: ["dist"] }, "dist/node_modules/b/a.js", true],
  "of an installed package": [{ files: ["dist", "node_modules"] }, "node_modules/b/a.js", false],
  "for browsers": [{ files: ["dist"], browser: "lib/a.js" }, "lib/a.js", true],
  "where browsers are given nothing": [{ files: ["dist"], browser: "", main: "./" }, "lib/a.js", false],
  "in the folder of programs": [{ files: ["dist"], directories: { bin: "bin" } }, "bin/a.js", true],
  "with the terms": [{ files: ["dist"] }, "COPYING", true],
  "where the list is nothing": [{ files: null }, "a.js", true],
  "where the list is a text": [{ files: "dist" }, "dist/a.js", undefined],
};

test.for(Object.entries(packed))("the size of a package: a file %s", async ([, [manifest, path, isPacked]]) => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-package-"));
  onTestFinished(() => removeFolder(folder));
  await doWork(folder, { [path]: "x".repeat(1_000) });
  const size = await packageSize({ folder, signal: AbortSignal.timeout(60_000) }, { ...manifest });
  if (isPacked === undefined) expect(size).toEqual(expect.any(String));
  else expect(size).toMatchObject({ bytes: isPacked ? 1_000 : 0 });
});
