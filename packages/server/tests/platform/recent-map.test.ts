import { expect, test } from "vitest";
import { RecentMap } from "../../src/platform/recent-map.ts";

test("what was not used for longest is forgotten", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect(map.get("a")).toBe(1);
  map.set("c", 3);
  map.set("c", 4);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([1, undefined, 4]);
});
