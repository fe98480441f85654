import fc from "fast-check";
import { expect, test } from "vitest";
import { trackReads } from "../src/kit/track-reads.ts";

test("what nobody read is found, the outermost of each", () => {
  const { value, unread } = trackReads({ a: { b: 1, c: [{ d: 1 }, { d: 2 }] }, e: { f: 1 }, "g/h": 1 });
  expect(value.a.c[0]!.d).toBe(1);
  expect(unread(["a", "e", "g/h"])).toEqual(["/a/b", "/a/c/1", "/e", "/g~1h"]);
});

test("what is copied, listed or written out is read, and the same as before", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (document) => {
      const plain = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
      const { value, unread } = trackReads(plain);
      expect(unread(Object.keys(plain))).toHaveLength(Object.keys(plain).length);
      expect(JSON.stringify(value)).toBe(JSON.stringify(plain));
      expect(unread(Object.keys(plain))).toEqual([]);
    }),
  );
});
