import { expect, test } from "vitest";
import { choosePrevious } from "../../../src/engine/generation/find-previous.ts";

const head = { commit: "c", bundle: "b" };
const put = (version: number) => ({ version, source: head, base: null, baseProjectId: null, putAt: new Date() });
const live = (sourceVersion: number) => ({ id: "proj_1", generated: head, sourceVersion });

test("what was put counts until a project that has it in it is live", () => {
  expect(choosePrevious(null, null)).toBeUndefined();
  expect(choosePrevious(null, live(0))).toEqual(live(0));
  expect(choosePrevious(put(1), null)).toMatchObject({ version: 1 });
  expect(choosePrevious(put(1), live(0)), "it began before").toMatchObject({ version: 1 });
  expect(choosePrevious(put(1), live(1))).toEqual(live(1));
  expect(choosePrevious(put(2), live(1)), "put again since").toMatchObject({ version: 2 });
});
