import { expect, test } from "vitest";
import { withProvenance } from "../../../src/engine/generation/provenance.ts";
import type { TreeFile } from "../../../src/platform/git/index.ts";

const own = ".slipway/source.json";

const given: Readonly<Record<string, { readonly has: readonly string[]; readonly gets: readonly string[] }>> = {
  "files of a person": { has: ["a", "b/c"], gets: ["a", "b/c", own] },
  "another file of its name": { has: [own, "a"], gets: ["a", own] },
  "a file in place of its folder": { has: [".slipway"], gets: [".slipway"] },
  "a folder in its place": { has: [`${own}/a`], gets: [`${own}/a`] },
};

test.for(Object.entries(given))("a source says which run it is from: beside %s", async ([, { has, gets }]) => {
  const files = await Array.fromAsync(withProvenance(filesAt(has), "proj_1"));
  expect(files.map(({ path }) => path)).toEqual(gets);
  const told = files.find(({ path }) => path === own);
  const text = told && Buffer.concat(await Array.fromAsync(told.content)).toString();
  if (text !== undefined) expect([JSON.parse(text), text.length]).toEqual([{ project_id: "proj_1" }, told?.sizeBytes]);
});

async function* filesAt(paths: readonly string[]): AsyncGenerator<TreeFile> {
  for (const path of paths) yield { path, kind: "link", sizeBytes: 1, content: [Buffer.from("x")] };
}
