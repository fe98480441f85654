import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packLiveFolder, unpackFolder } from "../../src/platform/archive/index.ts";

test("a file that changes or goes while it is packed leaves the archive whole", async () => {
  const place = mkdtempSync(join(tmpdir(), "slipway-live-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const from = join(place, "from");
  await mkdir(join(from, "empty"), { recursive: true });
  for (const name of ["1-grows", "2-shrinks", "3-goes", "4-stays"])
    writeFileSync(join(from, name), "x".repeat(600_000));
  truncateSync(join(from, "1-grows"), 10);

  const leftOut: string[] = [];
  const packed = packLiveFolder(from, { onLeftOut: ({ path, isLoss }) => leftOut.push(`${path} ${isLoss}`) });
  async function* changing(): AsyncGenerator<Uint8Array> {
    for await (const chunk of packed) {
      const path = chunk.length === 512 ? Buffer.from(chunk).toString("latin1", 0, 10) : "";
      // Its header says how long it is; nothing of it was read yet.
      if (path.startsWith("1-grows")) writeFileSync(join(from, "1-grows"), "y".repeat(900_000));
      if (path.startsWith("2-shrinks")) truncateSync(join(from, "2-shrinks"), 0);
      if (path.startsWith("2-shrinks")) rmSync(join(from, "3-goes"));
      yield chunk;
    }
  }
  const to = join(place, "to");
  await unpackFolder(changing(), to);
  expect((await readdir(to)).sort()).toEqual(["1-grows", "2-shrinks", "4-stays", "empty"]);
  expect((await stat(join(to, "1-grows"))).size).toBe(10);
  expect((await stat(join(to, "2-shrinks"))).size).toBe(600_000);
  expect(await readFile(join(to, "4-stays"), "utf8")).toBe("x".repeat(600_000));
  expect(leftOut).toEqual(["2-shrinks true"]);
});
