import { describe, expect, test } from "vitest";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { secretPatterns } from "../../../src/platform/secrets/secret-patterns.ts";

describe("very long secrets", () => {
  const odd = `"'/ ~é&<`;
  const long = odd.repeat(65_536 / odd.length);
  const sizeOf = (values: readonly string[]) => {
    const automata = Object.values(secretPatterns(values)!) as { readonly depths: Int32Array }[];
    return automata.reduce((sum, { depths }) => sum + depths.length, 0);
  };

  test("take memory in proportion to their length, however many ways there are to write them", () => {
    expect(sizeOf([long])).toBeLessThan(40 * long.length);
    const several = Array.from({ length: 16 }, (_, at) => `${at}${long.slice(0, 4_000)}`);
    expect(sizeOf(several)).toBeLessThan(40 * several.join("").length);
  });

  test("are prepared once for all maskers of the same values", () => {
    expect(secretPatterns([long, "other"])).toBe(secretPatterns([long, "other"]));
    expect(secretPatterns([long, "another"])).not.toBe(secretPatterns([long, "other"]));
  });

  test("cost a short text nothing", () => {
    const masker = new Masker([long]);
    const before = process.memoryUsage().arrayBuffers;
    const streams = Array.from({ length: 50 }, () => new Masker([long]));
    expect(streams.map((one) => one.push("It is there.")).join("")).toContain("It is there.");
    expect(masker.mask("It is there.")).toBe("It is there.");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 64 * 1024);
  });

  test.each([
    ["as they are", long],
    ["in JSON", JSON.stringify(long)],
    ["in an address", encodeURIComponent(long)],
    ["in HTML", long.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")],
    ["in hexadecimal", Buffer.from(long).toString("hex")],
    ["in base64", Buffer.from(long).toString("base64")],
  ])("are masked %s", (_, written) => {
    expect(new Masker([long]).mask(`it is ${written}, and more`).length).toBeLessThan(60);
  });

  test("are masked where an encoded one stands behind half a sign, but for a few characters", () => {
    const value = `41${long}`;
    for (const text of [`x%${encodeURIComponent(value)} y`, `x\\u00${value} y`, `x&#${value} y`])
      expect(new Masker([value]).mask(text).length).toBeLessThan(200);
  });
});
