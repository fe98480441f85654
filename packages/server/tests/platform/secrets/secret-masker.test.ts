import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Masker } from "../../../src/platform/secrets/index.ts";

const secret = "hunter2/swordfish+42";

describe("a secret is taken out", () => {
  test.each<[string, string]>([
    ["as it is", secret],
    ["in an address", encodeURIComponent(secret)],
    ["in JSON", JSON.stringify({ key: `${secret}"\n` }).slice(8, -2)],
    ["in base64", Buffer.from(secret).toString("base64")],
    ["in base64 behind another byte", Buffer.from(`:${secret}`).toString("base64")],
    ["in base64 behind a name", Buffer.from(`admin:${secret}`).toString("base64")],
    ["in hexadecimal digits", Buffer.from(secret).toString("hex")],
    ["broken over two lines", `${secret.slice(0, 7)}\n${secret.slice(7)}`],
    ["broken over two lines of another system", `${secret.slice(0, 7)}\r\n${secret.slice(7)}`],
  ])("%s", (_, written) => {
    const masker = new Masker([secret]);
    const shown = masker.mask(`before ${written} after`);
    expect(shown).toContain("********");
    expect(shown).toMatch(/^before .* after$/s);
    expect(shown.replace(/\r?\n/g, "")).not.toContain(secret.slice(2, -2));
  });

  test.each([
    "ghp_0123456789abcdefghij0123456789abcdef",
    `sk-proj-${"0aB".repeat(12)}`,
    "spec_sk_0123456789abcdef0123456789",
    "AKIAIOSFODNN7EXAMPLE",
  ])("by its shape, though nobody named it: %s", (token) => {
    expect(new Masker([]).mask(`token=${token};`)).toBe("token=********;");
  });

  test("a private key goes as a whole, also where it never ends", () => {
    const masker = new Masker([]);
    const key = `-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----`;
    expect(masker.mask(`a\n${key}\nb`)).toBe("a\n********\nb");
    expect(masker.mask(`a\n${key.slice(0, 50)}`)).toBe("a\n********");
  });

  test("words that only look a little like one stay", () => {
    const text = "ghost sk-ip the github page, npm_config, eyJust, and --- lines";
    expect(new Masker([]).mask(text)).toBe(text);
  });
});

const arbitrarySecret = fc.string({ unit: fc.constantFrom(...'abcXYZ019+/=&%"\\ -_.\n'), minLength: 8, maxLength: 40 });

test("however a text is cut into pieces, the same comes out, and no secret in it", () => {
  const form = fc.constantFrom<(value: string) => string>(
    (value) => value,
    encodeURIComponent,
    (value) => JSON.stringify(value).slice(1, -1),
    (value) => Buffer.from(value).toString("base64"),
  );
  fc.assert(
    fc.property(
      fc.array(arbitrarySecret, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.lorem({ maxCount: 3 }), fc.nat(2), form), { maxLength: 5 }),
      fc.array(fc.nat(400)),
      (secrets, parts, cuts) => {
        const text = parts.map(([words, at, write]) => `${words} ${write(secrets[at % secrets.length]!)} `).join("\n");
        const whole = new Masker(secrets).mask(text);
        const masker = new Masker(secrets);
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
        let shown = "";
        for (let at = 1; at < places.length; at += 1) shown += masker.push(text.slice(places[at - 1], places[at]));
        shown += masker.end();
        expect(shown).toBe(whole);
        for (const value of secrets) if (value.trim().length >= 4) expect(shown).not.toContain(value);
      },
    ),
    { numRuns: 300 },
  );
});

test("text that cannot be the beginning of a secret is passed on at once", () => {
  const masker = new Masker([secret]);
  expect(masker.push("all is well\n")).toBe("all is well\n");
  expect(masker.push("the key is hunt")).toBe("the key is ");
  expect(masker.push("ing season\n")).toBe("hunting season\n");
});
