// @module-tag soak
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { releaseStage, typed } from "../../support/releases/stage.ts";

const stack = { language: "javascript" };
const small = { spec_version: "1.0.0", id: "small", name: "Small", description: "A small one.", stack, acceptance: {} };

test("the example of a library is installed elsewhere by its line, and imported", { tags: "long" }, async () => {
  const { publishExample, elsewhere, current } = await releaseStage();
  const { kind, usage, files } = await publishExample("library");
  expect({ kind, files }).toEqual({ kind: "package", files: [{ path: "plainwords.tgz", type: "package" }] });
  expect(usage).toBe(`npm install '${current.replaceAll("'", `'\\''`)}/plainwords.tgz'`);

  await writeFile(join(elsewhere, "package.json"), '{ "private": true }');
  expect(await typed(usage, elsewhere)).toMatchObject({ exitCode: 0 });
  const program = 'import { slugify } from "plainwords"; console.log(slugify("Crème Brûlée"))';
  expect((await typed(`node --input-type=module -e '${program}'`, elsewhere)).stdout).toBe("creme-brulee\n");
});

test.for(soakCases(["python", "javascript"]))(
  "the example of a command in %s runs by its line, from anywhere",
  { tags: "long" },
  async (language) => {
    const { publishExample, elsewhere } = await releaseStage();
    const inLanguage = (text: string) =>
      text.replace("language: javascript", `language: ${language}`).replace(/^scripts:\n(?: .*\n)+/m, "");
    const { kind, usage, files } = await publishExample("cli", inLanguage);
    expect({ kind, files }).toEqual({ kind: "command", files: [{ path: "tally.tar.gz", type: "bundle" }] });
    expect((await typed(usage, elsewhere)).stdout).toContain("Write down an expense");
    const spent = `${usage.replace(/--help$/, "add 12.50 food")} && cat tally.json`;
    expect((await typed(spent, elsewhere)).stdout).toContain("12.5");
  },
);

test("the example of a model predicts by its line", async () => {
  const { publishExample, elsewhere } = await releaseStage();
  const { kind, usage, files } = await publishExample("ml-pipeline");
  expect({ kind, files }).toEqual({ kind: "model", files: [{ path: "ferrybell.tar.gz", type: "bundle" }] });
  expect((await typed(usage, elsewhere)).stdout).toContain('"late": true');
});

test("a model in JavaScript whose document promises nothing predicts for a row that its builder has written", {
  tags: "long",
}, async () => {
  const { publishDocument, elsewhere } = await releaseStage();
  const csv = Array.from({ length: 40 }, (_, number) => `${number},${number > 20}`).join("\n");
  const data = { label: "late", csv: `wind,late\n${csv}` };
  const { kind, usage } = await publishDocument(JSON.stringify({ ...small, outcome_type: "ml-pipeline", data }));
  expect(kind).toBe("model");
  expect((await typed(usage, elsewhere)).stdout).toContain('"probability"');
});

test("the example of infrastructure is unpacked by its line, which shows how to apply it", {
  tags: "long",
}, async () => {
  const { publishExample, elsewhere } = await releaseStage();
  const { kind, usage, files } = await publishExample("infrastructure");
  expect({ kind, files }).toEqual({ kind: "bundle", files: [{ path: "harbour-stack.tar.gz", type: "bundle" }] });
  const { exitCode, stdout } = await typed(usage, elsewhere);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("kubectl apply -f kubernetes/production.yaml");
  expect((await typed("cd harbour-stack && node bin/check.js", elsewhere)).exitCode).toBe(0);
});
