import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SecretFinder } from "../../../src/platform/secrets/index.ts";

const value = `sk-live/"a&b" <c>+d='é'~42`;
const finder = new SecretFinder([value]);
const isFound = async (...chunks: (string | Buffer)[]) =>
  (await finder.findIn(chunks.map((chunk) => Buffer.from(chunk)))).has(value);

const forms: Readonly<Record<string, string>> = {
  "as it is": value,
  "in JSON": JSON.stringify({ key: value }),
  "in JSON in JSON": JSON.stringify(JSON.stringify({ key: value })),
  "in JSON of ASCII alone": JSON.stringify(value).replace("é", "\\u00e9"),
  "in JSON with its slashes escaped": JSON.stringify(value).replace("é", "\\u00e9").replaceAll("/", "\\/"),
  "in JSON for pages": JSON.stringify(value).replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  "in an address": encodeURIComponent(value),
  "in an address, with small digits": encodeURIComponent(value).replace(/%../g, (digits) => digits.toLowerCase()),
  "in an address, with only its slashes": encodeURIComponent(value).replaceAll("'", "%27").replaceAll("%2F", "/"),
  "in an address, with its slashes": encodeURI(value),
  "in a form": encodeURIComponent(value).replaceAll("%20", "+"),
  "in HTML": value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
  "in HTML with other quotation marks": value
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&#34;")
    .replaceAll("'", "&#x27;"),
  "in columns": value.replace(/.{9}/gu, "$&\t"),
  "in hexadecimal": Buffer.from(value).toString("hex"),
  "in base64": Buffer.from(value).toString("base64"),
  "in base64 for addresses": Buffer.from(value).toString("base64url"),
  "in base64 after one byte": Buffer.from(`x${value}\n`).toString("base64"),
  "in base64 after two bytes": Buffer.from(`KEY${value} and more`).toString("base64").slice(1),
  "in base64 in lines": (
    Buffer.from(`PATH=/usr/bin\nKEY=${value}\n`.repeat(4))
      .toString("base64")
      .match(/.{1,20}/g) ?? []
  ).join("\r\n"),
};

describe("a secret is found", () => {
  test.for(Object.entries(forms))("%s", async ([, text]) => {
    expect(await isFound(`before ${text} after`)).toBe(true);
  });

  test("wherever a stream is cut, and in lines", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(60), { maxLength: 8 }), fc.string(), async (cuts, around) => {
        const text = `${around}${value}${around}`;
        const bytes = Buffer.from(text);
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        expect(
          await isFound(
            ...at.slice(1).map((end, index) => bytes.subarray(at[index], end)),
            bytes.subarray(bytes.length),
          ),
        ).toBe(true);
      }),
      { numRuns: 200 },
    );
    expect(await isFound([...value].join("\n"))).toBe(true);
  });

  test("in UTF-16", async () => {
    expect(await isFound(Buffer.from(`KEY=${value}`, "utf16le"))).toBe(true);
    expect(await isFound(Buffer.from(`KEY=${value}`, "utf16le").swap16())).toBe(true);
  });

  test("at the end of a large file", async () => {
    expect(await isFound(Buffer.alloc(600_000, "sk-live/"), value)).toBe(true);
  });
});

test("what is no secret is not found, nor what is too short to be one, nor what was packed", async () => {
  expect(await isFound(value.slice(0, -1), "x", value.slice(1))).toBe(false);
  expect(await isFound(gzipSync(value))).toBe(false);
  const short = new SecretFinder(["1234567", "", "       1       "]);
  expect(short.isIdle).toBe(true);
  expect((await short.findIn([Buffer.from("1234567")])).size).toBe(0);
});

test("each of several values is told, also one within another, and those that only blanks tell apart", async () => {
  const values = [
    "inner-secret-1",
    "outer+inner-secret-1+outer",
    "ended-secret-2",
    "ended-secret-2\n",
    "other-secret-3",
  ];
  const several = new SecretFinder(values);
  const found = (text: string) => several.findIn([Buffer.from(text)]);
  expect(await found("outer+inner-secret-1+outer")).toEqual(new Set(values.slice(0, 2)));
  expect(await found("-inner-secret-1-")).toEqual(new Set(values.slice(0, 1)));
  expect(await found(btoa("ended-secret-2"))).toEqual(new Set(values.slice(2, 4)));
  expect(await found("nothing")).toEqual(new Set());
});

test("half a value at the end of a file does not meet the other half in the next one", async () => {
  const [begin, rest] = [value.slice(0, 10), value.slice(10)];
  for (const half of [
    begin,
    `${begin}\\`,
    encodeURIComponent(begin).slice(0, -1),
    Buffer.from(begin).toString("hex"),
  ]) {
    expect(await isFound(half)).toBe(false);
    expect(await isFound(rest)).toBe(false);
  }
  const broken = (async function* () {
    yield Buffer.from(begin);
    throw new Error("cannot be read");
  })();
  await expect(finder.findIn(broken)).rejects.toThrow("cannot be read");
  expect(await isFound(rest)).toBe(false);
  expect(await Promise.all([isFound(begin), isFound(rest), isFound(value)])).toEqual([false, false, true]);
});

// By the search of Buffer, each slice of the file takes a minute.
test("a long value that is almost there everywhere holds nobody up", async () => {
  const long = `${"a".repeat(32)}b${"a".repeat(65_503)}`;
  const finder = new SecretFinder([long]);
  const file = Buffer.alloc(256 * 1024, "a");
  expect((await finder.findIn([file])).size).toBe(0);
  expect((await finder.findIn([file, Buffer.from(long)])).has(long)).toBe(true);
});
