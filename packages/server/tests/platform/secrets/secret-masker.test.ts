// @module-tag soak

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { soakRuns } from "../../../../../tools/soak-runs.ts";
import { oneLine, shortened, wholeEnd } from "../../../src/platform/one-line.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { measureHolding } from "../../support/measure-holding.ts";

const secret = "hunter2/swordfish+42";
const marked = `a"b<c>d&e'f/g\\h i`;
const bytes = (text: string) => [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, "0"));
const html = (text: string) =>
  text.replace(/[&<>"']/g, (found) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "#39" }[found]};`);

describe("a secret is taken out", () => {
  test.each<[string, string]>([
    ["as it is", secret],
    ["in an address", encodeURIComponent(secret)],
    ["in an address with small digits", encodeURIComponent(secret).toLowerCase()],
    ["in an address that keeps slashes", encodeURIComponent(secret).replaceAll("%2F", "/")],
    ["in an address that keeps all it may", encodeURI(secret)],
    ["in an address in an address", encodeURIComponent(encodeURIComponent(secret))],
    ["in an address where every character is encoded", bytes(secret).join("%").replace(/^/, "%")],
    ["in JSON", JSON.stringify({ key: `${secret}"\n` }).slice(8, -2)],
    ["in JSON that encodes slashes", secret.replaceAll("/", "\\/")],
    ["in JSON of Go", secret.replaceAll("+", "\\u002b")],
    ["in base64", Buffer.from(secret).toString("base64")],
    ["in base64 without padding", Buffer.from(secret).toString("base64url")],
    ["in base64 behind another byte", Buffer.from(`:${secret}`).toString("base64")],
    ["in base64 behind a name", Buffer.from(`admin:${secret}`).toString("base64")],
    [
      "in base64 in short lines",
      Buffer.from(secret)
        .toString("base64")
        .replace(/.{7}(?!$)/g, "$&\n"),
    ],
    ["in hexadecimal digits", bytes(secret).join("")],
    ["in large hexadecimal digits", bytes(secret).join("").toUpperCase()],
    ["in hexadecimal digits with spaces", bytes(secret).join(" ")],
    ["in hexadecimal digits in pairs of bytes", bytes(secret).join("").replace(/.{4}/g, "$& ").trim()],
    ["in hexadecimal digits with colons", bytes(secret).join(":")],
    ["in hexadecimal numbers", `0x${bytes(secret).join(", 0x")}`],
    ["in hexadecimal escapes", `\\x${bytes(secret).join("\\x")}`],
    ["broken over two lines", `${secret.slice(0, 7)}\n${secret.slice(7)}`],
    ["broken over two lines of another system", `${secret.slice(0, 7)}\r\n${secret.slice(7)}`],
    [
      "with a part of it coloured",
      `${secret.slice(0, 7)}\u001b[01;31m\u001b[K${secret.slice(7, 9)}\u001b[m${secret.slice(9)}`,
    ],
    ["with every character coloured", [...secret].map((one) => `\u001b[3${one.length}m${one}`).join("")],
    ["with a title of the window inside", `${secret.slice(0, 7)}\u001b]0;title\u0007${secret.slice(7)}`],
    ["with a title of a window of screen inside", `${secret.slice(0, 7)}\u001bktitle\u001b\\${secret.slice(7)}`],
    ["with control sequences of 8 bits inside", `${secret.slice(0, 7)}\u009b31m${secret.slice(7)}`],
    ["with texts in 8 bits inside", `${secret.slice(0, 7)}\u009d0;title\u009c${secret.slice(7)}`],
    ["set in columns", `${secret.slice(0, 7)}\t${secret.slice(7)}`],
    ["broken by a separator of Unicode", `${secret.slice(0, 7)}\u2028${secret.slice(7)}`],
    [
      "in base64 with tabs",
      Buffer.from(secret)
        .toString("base64")
        .replace(/.{7}(?!$)/g, "$&\t"),
    ],
    ["with zero bytes, which are not stored, inside", [...secret].join("\0")],
    ["in the address of a link", `\u001b]8;;https://a.b/?k=${encodeURIComponent(secret)}\u001b\\`],
  ])("%s", (_, written) => {
    const shown = new Masker([secret]).mask(`before ${written} after`);
    // Only what does not depend on the secret stays next to the mask.
    const before = /^before (0x|\\|%|O|YWRtaW4|\u001b\[31m|\u001b\]8;;https:\/\/a\.b\/\?k=)?$/;
    expect(shown).toMatch(/^[^*]*\*{8}[^*]*$/);
    expect(shown.split("********")[0]).toMatch(before);
    expect(shown.split("********")[1]).toMatch(/^(\\"\\n|\u001b\\)? after$/);
  });

  test.each([html(marked), html(html(marked)), marked.replaceAll("<", "&#60;").replaceAll(">", "&#x3E;")])(
    "escaped for HTML: %s",
    (written) => expect(new Masker([marked]).mask(`<b>${written}</b>`)).toBe("<b>********</b>"),
  );

  test("to the last digit of base64, wherever in it the secret stands", () => {
    for (const before of ["", "x", "xy", "xyz"])
      for (const after of ["", "x", "xy", "xyz"]) {
        const [clear, other] = [secret, "0".repeat(secret.length)].map((value) =>
          new Masker([value]).mask(`[${Buffer.from(before + value + after).toString("base64")}]`),
        );
        // If any digit that depends on the secret were shown, the two would differ.
        expect(clear).toBe(other);
        expect(clear).toContain("********");
      }
  });

  test.each([
    "ghp_0123456789abcdefghij0123456789abcdef",
    `sk-proj-${"0aB".repeat(12)}`,
    "spec_sk_0123456789abcdef0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    `eyJ${"a".repeat(30)}.eyJ${"b".repeat(300)}.${"c".repeat(43)}`,
  ])("by its shape, though nobody named it: %s", (token) => {
    expect(new Masker([]).mask(`token=${token};`)).toBe("token=********;");
    expect(new Masker([]).mask(`token\u001b[32m${token}\u001b[0m`)).toBe("token\u001b[32m********\u001b[0m");
    const coloured = `${token.slice(0, 9)}\u001b[1m${token.slice(9)}`;
    expect(new Masker([]).mask(`token=${coloured};`)).toBe("token=********;");
  });

  test("a private key goes as a whole, also where it never ends", () => {
    const masker = new Masker([]);
    const key = `-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----`;
    expect(masker.mask(`a\n${key}\nb`)).toBe("a\n********\nb");
    expect(masker.mask(`a\n---${key}${key}\nb`)).toBe("a\n---****************\nb");
    expect(masker.mask(`a\n${key.slice(0, 50)}`)).toBe("a\n********");
  });

  test("words that only look a little like one stay", () => {
    const text = "ghost sk-ip the github page, npm_config, eyJust, and --- lines";
    expect(new Masker([]).mask(text)).toBe(text);
  });
});

const arbitrarySecret = fc.string({
  unit: fc.constantFrom(...'abcXYZ019+/=&%"\\ -_.\nä€'),
  minLength: 8,
  maxLength: 40,
});

describe("a text that was cut before it is masked", () => {
  const masker = new Masker([secret]);
  const forms = [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("hex"),
  ];

  test.each(forms)("does not tell how a secret begins: %s", async (form) => {
    for (let length = 4; length <= form.length; length += 1) {
      const said = `status: ${oneLine(`key ${form}`, 4 + length)} and '${shortened(form, length)}'.`;
      for (const masked of [masker.mask(said), await masker.maskInSlices(said)]) {
        expect(masked).not.toContain(form.slice(0, 4));
        expect(masked).toMatch(/^status: key .* and '.*'\.$/);
      }
    }
  });

  test("does not tell it at the end of a slice either", async () => {
    const padding = " ".repeat(8 * 1024 - 10);
    expect(await masker.maskInSlices(`${padding}${secret.slice(0, 10)}… and so on`)).toBe(
      `${padding}********… and so on`,
    );
  });

  test("does not tell it before hundreds of others either", async () => {
    const said = `${secret.slice(0, 10)}… is not ${"here…, ".repeat(500)}`;
    const expected = `********… is not ${"here…, ".repeat(500)}`;
    expect(masker.mask(said)).toBe(expected);
    expect(await masker.maskInSlices(said)).toBe(expected);
    expect(masker.maskAndCut(said, 100)).toBe(expected.slice(0, 100));
  });

  test("keeps its other words", () => {
    for (const said of ["Installing…", "a… b…c …", "…", "Have a look at hun…", `${"a…".repeat(500)}`])
      expect(masker.mask(said)).toBe(said);
  });

  test("does not tell how a secret ends, if only the end is kept", () => {
    const printed = `first line\nkey=${secret} and more\nlast line`;
    for (let length = 1; length <= printed.length; length += 1)
      expect(masker.mask(wholeEnd(printed, length)).replaceAll("********", "")).not.toContain("fish+42");
    expect(wholeEnd("a bc\ndef ghi jkl", 15)).toBe("def ghi jkl");
    expect(wholeEnd("a bc def", 7)).toBe("bc def");
    expect(wholeEnd("abcdefgh", 8)).toBe("abcdefgh");
  });
});

test("however a text is cut into pieces, the same comes out, and no secret in it", () => {
  const form = fc.constantFrom<(value: string) => string>(
    (value) => value,
    encodeURIComponent,
    (value) => encodeURIComponent(value).replaceAll("%2F", "/"),
    (value) => JSON.stringify(value).slice(1, -1),
    (value) => Buffer.from(value).toString("base64"),
    (value) => bytes(value).join(" "),
    (value) => [...value].join("\u001b[1m"),
    html,
  );
  fc.assert(
    fc.property(
      fc.array(arbitrarySecret, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.lorem({ maxCount: 3 }), fc.nat(2), form), { maxLength: 5 }),
      fc.array(fc.nat(400)),
      (secrets, parts, cuts) => {
        const written = parts.map(([words, at, write]) => [words, write(secrets[at % secrets.length]!)] as const);
        const text = written.map(([words, encoded]) => `${words} ${encoded} `).join("\n");
        const whole = new Masker(secrets).mask(text);
        const shown = inPieces(new Masker(secrets), text, cuts);
        expect(shown).toBe(whole);
        for (const [, encoded] of written) if (encoded.trim().length >= 8) expect(shown).not.toContain(encoded.trim());
      },
    ),
    { numRuns: soakRuns(300) },
  );
});

test("a secret is found whatever stands next to it, however the text is cut", () => {
  const pieces = [..."ab%41&\\0x\u001b[mk;u-+/=\n\r\t].é \u009b\u009d\u2028", "amp;", "%25", "\u0007"];
  const nasty = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(""));
  const ownText = fc.array(fc.constantFrom(...pieces), { minLength: 6, maxLength: 16 }).map((parts) => parts.join(""));
  const form = fc.constantFrom<(value: string) => string>(
    (value) => value,
    (value) => Buffer.from(value).toString("base64"),
    (value) => Buffer.from(value).toString("hex"),
    encodeURIComponent,
    (value) => JSON.stringify(value).slice(1, -1),
  );
  const withoutControls = (text: string) => text.replace(/[\0-\x1f\x7f-\x9f\u2028]/g, "");
  fc.assert(
    fc.property(ownText, form, nasty, nasty, fc.array(fc.nat(60)), (value, write, before, after, cuts) => {
      fc.pre(withoutControls(value).length >= 6);
      const text = before + write(value) + after;
      const whole = new Masker([value]).mask(text);
      expect(withoutControls(whole)).not.toContain(withoutControls(write(value)));
      expect(inPieces(new Masker([value]), text, cuts)).toBe(whole);
    }),
    { numRuns: soakRuns(1_000) },
  );
});

test("a text without a secret comes out as it went in, however it is cut", () => {
  const part = fc.constantFrom(
    "%",
    "%2",
    "&am",
    "&amp;",
    "\\",
    "\\u00",
    "0x",
    "-----",
    "BEGIN ",
    "\u001b",
    "[3",
    "]0;",
    "\n",
    "a",
    "zz",
    "ä",
    "\ud800",
    "=",
    "spec_",
    "eyJ",
    ".",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), fc.array(fc.nat(100)), (parts, cuts) => {
      const text = parts.join("");
      expect(inPieces(new Masker(["QQQQ-never-there"]), text, cuts)).toBe(text);
    }),
    { numRuns: soakRuns(300) },
  );
});

test("text that cannot be the beginning of a secret is passed on at once", () => {
  const masker = new Masker([secret]);
  expect(masker.push("all is well\n")).toBe("all is well\n");
  expect(masker.push("the key is hunt")).toBe("the key is ");
  expect(masker.push("ing season\n")).toBe("hunting season\n");
});

test("what is held back stays small, whatever comes after the beginning of a secret", () => {
  for (const endless of [
    "\n",
    "\u001b[1m",
    "\u001b]0;",
    "h",
    "%25",
    "&amp;",
    "25",
    "amp;",
    " ",
    "'",
    "\\",
    "\\3",
    "\ud83d",
    "-----BEGIN PRIVATE KEY-----",
    "eyJaaaaaaaaaa.",
  ]) {
    const masker = new Masker([secret, "hhhh"]);
    masker.push(endless === "25" ? "hunter2%" : endless === "amp;" ? "hunter2&" : "hunter2");
    for (let length = 0; length < 300_000; length += 10 * endless.length) masker.push(endless.repeat(10));
    expect(masker.end().length).toBeLessThan(70_000);
  }
});

const isLong = process.env["SLIPWAY_LONG"] === "1";

test("a byte of output takes the same time in a short text and in a long one, whatever is written", () => {
  const secrets = [secret, `${"a".repeat(60)}b`, "eyJ-..%%%", "x".repeat(3_000)];
  const sizes = [
    [1024, 15],
    [64 * 1024, 3],
  ] as const;
  const runs = ["a", "x", secret.slice(0, 9), "eyJ", "eyJaaaaaaaaaa.", ".", "-", "%25", "&amp;", "\\303", "\u001b"];
  for (const run of runs) {
    let before = Number.POSITIVE_INFINITY;
    // Also a secret against its own beginning, and a word that never ends: what was once quadratic.
    for (const [length, times] of isLong ? [...sizes, [1024 * 1024, 1] as const] : sizes) {
      const text = `${run.repeat(Math.ceil(length / run.length))}\n`;
      const masker = new Masker(secrets);
      const pass = () => masker.push(text) + masker.end();
      const used = Array.from({ length: times }, () => cpuOf(pass)).toSorted((a, b) => a - b);
      const perByte = used[times >> 1]! / length;
      // Quadratic time would be 64 times as much, then 16.
      expect(perByte, `${JSON.stringify(run)} × ${length}`).toBeLessThan(8 * before);
      before = Math.max(perByte, 1e-5);
    }
  }
});

test("a long beginning of a secret, before many breaks, makes no later line dearer", () => {
  const masker = new Masker(["a".repeat(60_000)]);
  const pass = () => Array.from({ length: 1_000 }, () => masker.push("\n"));
  masker.push("a".repeat(1_000));
  pass();
  const usual = cpuOf(pass);
  masker.push("a".repeat(58_000));
  for (let left = 300_000; left > 0; left -= 8_000) masker.push("\n".repeat(8_000));
  pass();
  expect(cpuOf(pass)).toBeLessThan(20 * Math.max(usual, 2));
});

test("thousands of short texts are masked in turns", async () => {
  const masker = new Masker([secret]);
  const texts = Array.from({ length: 10_000 }, (_, at) => `/${at}: There is nothing to start at all. ${secret}`);
  const { done, heldMs, tookMs } = await measureHolding(() => masker.maskAll(texts));
  expect(done[7]).toBe("/7: There is nothing to start at all. ********");
  expect(heldMs).toBeLessThan(tookMs / 2);
});

function inPieces(masker: Masker, text: string, cuts: readonly number[]): string {
  const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
  let shown = "";
  for (let at = 1; at < places.length; at += 1) shown += masker.push(text.slice(places[at - 1], places[at]));
  return shown + masker.end();
}

/** In milliseconds of a core: other programs on the machine do not count. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
