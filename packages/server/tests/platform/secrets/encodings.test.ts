// @module-tag soak

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { soakRuns } from "../../../../../tools/soak-runs.ts";
import { encodingsOf } from "../../../src/platform/secrets/encodings.ts";
import { Masker, SecretFinder } from "../../../src/platform/secrets/index.ts";

/** What is left of a text that holds a written value, and whether the value is found in a file of that text. */
async function look(value: string, written: string | Buffer): Promise<{ shown: string; isFound: boolean }> {
  const found = await new SecretFinder([value]).findIn([
    Buffer.from("is "),
    Buffer.from(written),
    Buffer.from(" here"),
  ]);
  return { shown: new Masker([value]).mask(`is ${written} here`), isFound: found.has(value) };
}

test.each([
  "correct-horse_battery",
  `q"uo'te</&> +%~!*()\\ü€😀`,
  "two lines\nof a key\r\nand more",
  "Pässwörd-Grüße\n",
])("every encoding of %j is masked in output and found in files", async (value) => {
  const masker = new Masker([value]);
  const finder = new SecretFinder([value]);
  for (const text of encodingsOf(value)) {
    expect(masker.mask(`is ${text} here`)).not.toContain(text);
    expect([...(await finder.findIn([Buffer.from(`is ${text} here`)]))]).toEqual([value]);
  }
});

const lines = "firstline-abc\nsecondline-def";
const ended = 'pw+with/slash-and&more"9\n';
const letters = "Pässwörd<Grüße>2026";
const emoji = "hunter2😀battery9staple";
const octal = (text: string) => Array.from(Buffer.from(text), (byte) => `\\${byte.toString(8)}`).join("");
const percents = (text: string) => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16)}`).join("");
const numbers = (text: string) => Array.from(text, (letter) => `&#${letter.codePointAt(0)};`).join("");
const marked = "C:\\bin\\new%41&amp;x";
const quoted = `Tr0ub4dor'and"3_horse`;

/** As programs print and save them; what stays beside the mask is none of the value. */
test.each<[by: string, value: string, written: string, beside?: RegExp]>([
  ["curl -v -u, of a file that ends with a line break", ended, btoa(`me:${ended.trim()}`), /^bWU$/],
  ["xxd, of a file that ends with a line break", ended, Buffer.from(ended.trim()).toString("hex")],
  ["encodeURIComponent, of a trimmed value", ended, encodeURIComponent(ended.trim())],
  ["JSON.stringify, of a trimmed value", ended, JSON.stringify(ended.trim()).slice(1, -1)],
  ["JSON.stringify, of a value with blanks around it", ` \t${ended}\r\n`, JSON.stringify(ended.trim()).slice(1, -1)],
  ["ElementTree, in an attribute", lines, "firstline-abc&#10;secondline-def"],
  ["libxml, in an attribute", lines, "firstline-abc&#xA;secondline-def"],
  ["a serialiser of HTML on Windows", lines, "firstline-abc&#13;&#10;secondline-def"],
  ["a serialiser of JSON by numbers", lines, "firstline-abc\\u000asecondline-def"],
  ["a shell by numbers", lines, "firstline-abc\\x0asecondline-def"],
  ["git, in an octal number", lines, "firstline-abc\\012secondline-def"],
  ["JSON.stringify, with line ends of Windows", lines, "firstline-abc\\r\\nsecondline-def"],
  ["encodeURIComponent, with line ends of Windows", lines, "firstline-abc%0D%0Asecondline-def"],
  ["base64 with line ends of Windows", lines, Buffer.from(lines.replace("\n", "\r\n")).toString("base64")],
  ["YAML, indented", lines, "firstline-abc\n    secondline-def"],
  ["echo without quotation marks", lines, "firstline-abc secondline-def"],
  ["git status", letters, "P\\303\\244ssw\\303\\266rd<Gr\\303\\274\\303\\237e>2026"],
  ["git status", emoji, "hunter2\\360\\237\\230\\200battery9staple"],
  ["a shell, in octal numbers all over", "topsecret1234", octal("topsecret1234"), /^\\$/],
  ["a shell, with signs of other encodings", marked, octal(marked), /^\\$/],
  ["a strict address, with signs of other encodings", marked, percents(marked)],
  ["a strict page, with signs of other encodings", marked, numbers(marked)],
  ["Python, as bytes", letters, "P\\xc3\\xa4ssw\\xc3\\xb6rd<Gr\\xc3\\xbc\\xc3\\x9fe>2026"],
  ["Python's ascii", letters, "P\\xe4ssw\\xf6rd<Gr\\xfc\\xdfe>2026"],
  ["Python's ascii", emoji, "hunter2\\U0001f600battery9staple"],
  ["Rust", emoji, "hunter2\\u{1f600}battery9staple"],
  ["Perl", letters, "P\\x{e4}ssw\\x{f6}rd<Gr\\x{fc}\\x{df}e>2026"],
  ["set -x of bash", quoted, `Tr0ub4dor'\\''and"3_horse`],
  ["export -p of dash", quoted, `Tr0ub4dor'"'"'and"3_horse`],
  ["declare -p of bash", quoted, `Tr0ub4dor'and\\"3_horse`],
  ["rm, which cannot", `${quoted}ä`, `Tr0ub4dor'\\''and"3_horse'$'\\303\\244`],
  ["SQL and YAML", quoted, `Tr0ub4dor''and"3_horse`],
  ["CSV", quoted, `Tr0ub4dor'and""3_horse`],
  ["JavaScript's escape", letters, "P%E4ssw%F6rd%3CGr%FC%DFe%3E2026"],
  ["JavaScript's escape", emoji, "hunter2%uD83D%uDE00battery9staple"],
  ["PHP's htmlentities", letters, "P&auml;ssw&ouml;rd&lt;Gr&uuml;&szlig;e&gt;2026"],
  ["Python's xmlcharrefreplace", letters, "P&#228;ssw&#246;rd<Gr&#252;&#223;e>2026"],
  ["btoa, and Basic authentication by Python's requests", letters, btoa(letters)],
  ["a program that writes Latin-1", letters, Buffer.from(letters, "latin1").toString()],
  ["a system that takes accents apart", letters, letters.normalize("NFD")],
  ["Python's encodebytes in JSON", letters, btoa(letters).replace(/.{9}/g, "$&\\n")],
  ["base64 in PHP's JSON", "???secret???", btoa("???secret???").replaceAll("/", "\\/")],
  ["base64 in indented lines", letters, btoa(letters).replace(/.{8}/g, "$&\n    ")],
  ["encodeURI, with letters as they are", emoji, "hunter2😀%62attery9staple"],
])("%s: %j is masked and found as %j", async (_, value, written, beside = /^$/) => {
  const { shown, isFound } = await look(value, written);
  expect(isFound).toBe(true);
  const [, left = "?", right = "?", ...more] = /^is (.*)\*{8}(.*) here$/s.exec(shown) ?? [];
  expect(`${left}${right}`).toMatch(beside);
  expect(more).toEqual([]);
});

test.each([
  JSON.stringify({ key: 'pa"ss€word-12&Żółw' }),
  `pa""ss€word-12&Żółw`,
  "pa&quot;ss€word-12&amp;Żółw",
  'pa"ss€word-12&Żółw'.normalize("NFD"),
])("%s is found in a file of UTF-16 in either order, with a mark and without", async (text) => {
  const finder = new SecretFinder(['pa"ss€word-12&Żółw']);
  for (const begin of ["\ufeff", "key: "])
    for (const file of [Buffer.from(begin + text, "utf16le"), Buffer.from(begin + text, "utf16le").swap16()])
      expect((await finder.findIn([file])).size).toBe(1);
});

test("a value whose letters grep has coloured is found in a file", async () => {
  const coloured = "API_TOKEN=correct-\u001b[01;31m\u001b[Khorse\u001b[m\u001b[K_battery-42\n";
  const value = "correct-horse_battery-42";
  expect((await new SecretFinder([value]).findIn([Buffer.from(coloured)])).has(value)).toBe(true);
});

test.each<[string, BufferEncoding]>([
  [letters, "latin1"],
  [letters, "utf16le"],
  ["Schlüssel-für-5€", "utf16le"],
  [lines, "utf16le"],
])("%j is found in a file of %s", async (value, encoding) => {
  expect((await look(value, Buffer.from(value, encoding))).isFound).toBe(true);
});

describe("any value", () => {
  const blank = fc.string({ unit: fc.constantFrom(" ", "\n", "\r\n", "\t"), maxLength: 3 });
  const inner = fc.string({
    unit: fc.constantFrom(...`abcXYZ0189+/=&%"'<>\\ $\`#;-_.,:{}~äßé€я😀`, "\n", "\r\n", "\u2028"),
    minLength: 8,
    maxLength: 24,
  });
  const essence = inner.map((text) => text.trim()).filter((text) => text.replace(/\s/g, "").length >= 8);
  const values = fc.tuple(blank, essence, blank);

  test("is masked and found in every encoding, with the blanks around it and without, wherever a text is cut", async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.array(fc.nat(60), { maxLength: 4 }), async ([before, core, after], cuts) => {
        const value = before + core + after;
        const masker = new Masker([value]);
        const finder = new SecretFinder([value]);
        for (const form of new Set([...encodingsOf(value), ...encodingsOf(core)])) {
          const text = `[${form}]`;
          const pieces = inPieces(text, cuts);
          const shown = pieces.map((piece) => masker.push(piece)).join("") + masker.end();
          // Blanks around it may be shown, and what begins an escape.
          const beside = 6 * (before.length + after.length) + 2;
          expect(shown.replace(/\*{8}/, "").length, form).toBeLessThanOrEqual(2 + beside);
          const bytes = inPieces(Buffer.from(text).toString("latin1"), cuts).map((one) => Buffer.from(one, "latin1"));
          expect((await finder.findIn(bytes)).has(value), form).toBe(true);
        }
      }),
      { numRuns: soakRuns(60) },
    );
  });

  const hex = (code: number, length: number) => code.toString(16).padStart(length, "0");
  const bytesOf = (letter: string, write: (byte: number) => string) => Array.from(Buffer.from(letter), write).join("");
  const ways: Readonly<Record<string, readonly ((letter: string) => string)[]>> = {
    "backslashes and quotation marks": [
      (letter) => bytesOf(letter, (byte) => `\\${byte.toString(8).padStart(3, "0")}`),
      (letter) => bytesOf(letter, (byte) => `\\x${hex(byte, 2)}`),
      (letter) => letter.replace(/./gs, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`),
      (letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`,
      (letter) => `\\\\U${hex(letter.codePointAt(0)!, 8)}`,
      (letter) => `'"'${letter}`,
    ],
    addresses: [
      (letter) => bytesOf(letter, (byte) => `%${hex(byte, 2)}`),
      (letter) => bytesOf(letter, (byte) => `%2525${hex(byte, 2).toUpperCase()}`),
      (letter) => letter.replace(/./gs, (unit) => `%u${hex(unit.charCodeAt(0), 4)}`),
    ],
    HTML: [
      (letter) => `&#${letter.codePointAt(0)};`,
      (letter) => `&#x${letter.codePointAt(0)!.toString(16)};`,
      (letter) => `&amp;amp;#${letter.codePointAt(0)};`,
    ],
  };

  test.each(Object.keys(ways))("is masked and found in any mixture of %s", async (name) => {
    const write = (letter: string, way: number) => ways[name]![way]?.(letter) ?? letter;
    // Who encodes the sign that begins an encoded one, encodes it everywhere.
    const unmarked = essence.map((core) => core.replace(/[%&\\\u2028]/g, "-"));
    const written = unmarked.chain((core) =>
      fc
        .array(fc.nat(2 * ways[name]!.length), { minLength: core.length, maxLength: core.length })
        .map((picked) => ({ core, text: Array.from(core, (letter, at) => write(letter, picked[at]!)).join("") })),
    );
    await fc.assert(
      fc.asyncProperty(written, async ({ core, text }) => {
        fc.pre(core.replace(/[\s"'$+]/g, "").length >= 8 && /^[^"'$+].*[^"'$+]$/s.test(core));
        const { shown, isFound } = await look(core, text);
        expect(isFound).toBe(true);
        expect(shown.replace(/\*{8}/, "").length).toBeLessThanOrEqual("is  here".length + 6);
      }),
      { numRuns: soakRuns(200) },
    );
  });

  const sequences = [
    ...["\u001b[31m", "\u001b[K", "\u001b[01;31m\u001b[K", "\u001b(B\u001b[m", "\u001b%G", "\u009b31m"],
    ...["\u001b]0;a title\u0007", "\u001b]8;;http://a.b\u001b\\", "\u001bkname\u001b\\", "\u009d0;x\u009c"],
    ...["\u001b7", "\u001bc", "\u001b=", "\u001bD"],
  ];
  const controls = ["\n", "\r\n", "\t", "\v", "\f", "\0", "\u0007", "\b", "\u0085", "\u2028"];
  const forms: Readonly<Record<string, (text: string) => string>> = {
    "as it is": (text) => text,
    "in JSON": (text) => JSON.stringify(text).slice(1, -1),
    "in base64": (text) => Buffer.from(text).toString("base64"),
    "in hexadecimal": (text) => Buffer.from(text).toString("hex"),
    "in an address": (text) => bytesOf(text, (byte) => `%${hex(byte, 2)}`),
    "by numbers of HTML": (text) => Array.from(text, (letter) => `&#${letter.codePointAt(0)};`).join(""),
    "by hexadecimal numbers": (text) => bytesOf(text, (byte) => `\\x${hex(byte, 2)}`),
  };
  const files: Readonly<Record<string, (text: string) => Buffer>> = {
    "UTF-8": (text) => Buffer.from(text),
    "UTF-16": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
    "UTF-16 in the other order": (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
    "UTF-16 that does not say so": (text) => Buffer.from(`key=${text}`, "utf16le"),
    "UTF-16 in the other order that does not say so": (text) => Buffer.from(`key=${text}`, "utf16le").swap16(),
  };
  /** Half of it ends with a zero, as a letter of ASCII in the other order. */
  const paired = essence.map((core) => core.replaceAll("😀", "😁"));
  /** Between any two characters, of those that are encoded as well. */
  const spread = (text: string, pieces: readonly (readonly [at: number, piece: string])[]) => {
    const letters = [...text];
    for (const [at, piece] of pieces) letters[at % (letters.length - 1)] += piece;
    return letters.join("");
  };
  const pieces = fc.array(fc.tuple(fc.nat(200), fc.constantFrom(...sequences, ...controls)), { maxLength: 6 });
  const cutsInto = fc.array(fc.nat(400), { maxLength: 4 });
  /** What stands beside the mask: what began the first letter, and what was put behind that. */
  const isMasked = (shown: string) => {
    const longestFirst = [...sequences, ...controls].toSorted((one, other) => other.length - one.length);
    const rest = longestFirst.reduce((text, piece) => text.replaceAll(piece, ""), shown);
    return rest.includes("********") && rest.length <= "[********]".length + 2;
  };
  const mayBeEncoded = (core: string) =>
    core.replace(/[\s"'$+\\\u2028]/g, "").length >= 8 && /^[^"'$+\\].*[^"'$+\\]$/s.test(core);

  test.each(Object.keys(forms))(
    "is masked and found %s, with sequences and breaks inside, in every kind of file",
    async (form) => {
      await fc.assert(
        fc.asyncProperty(paired, pieces, cutsInto, async (core, inside, cuts) => {
          fc.pre(mayBeEncoded(core));
          const text = `[${spread(forms[form]!(core), inside)}]`;
          const masker = new Masker([core]);
          const shown = inPieces(text, cuts).map((piece) => masker.push(piece));
          expect(shown.join("") + masker.end()).toSatisfy(isMasked);
          for (const [kind, write] of Object.entries(files)) {
            const bytes = inPieces(write(text).toString("latin1"), cuts).map((one) => Buffer.from(one, "latin1"));
            expect((await new SecretFinder([core]).findIn(bytes)).has(core), kind).toBe(true);
          }
        }),
        { numRuns: soakRuns(60) },
      );
    },
  );

  test("is masked and found in texts that a terminal does not show", async () => {
    const around = fc.constantFrom(
      ...([
        ["\u001b]0;", "\u0007"],
        ["\u001b]8;;http://a.b/?k=", "\u001b\\"],
        ["\u001bk", "\u001b\\"],
        ["\u009d0;", "\u009c"],
        // A letter of the value ends it.
        ["\u001b", ""],
        ["\u001b[", ""],
        ["\u001b[31", ""],
        ["\u001b(", ""],
      ] as const),
    );
    const form = fc.constantFrom(...Object.values(forms));
    await fc.assert(
      fc.asyncProperty(paired, form, around, cutsInto, async (core, write, [before, after], cuts) => {
        fc.pre(mayBeEncoded(core));
        const text = before + write(core) + after;
        const masker = new Masker([core]);
        const shown = inPieces(text, cuts).map((piece) => masker.push(piece));
        expect((shown.join("") + masker.end()).length).toBeLessThanOrEqual(`${before}********${after}`.length + 2);
        for (const [kind, encode] of Object.entries(files))
          expect((await new SecretFinder([core]).findIn([encode(text)])).has(core), kind).toBe(true);
      }),
      { numRuns: soakRuns(200) },
    );
  });

  test("with control characters of its own is masked and found, also where a part of it is encoded", async () => {
    for (const value of ["pass\u0007word&<first>", "pass\u001b[31mword&<first>", "pass\u0085word\u009b1m&<first>"])
      for (const written of [
        value,
        value.replace("&", "&amp;"),
        JSON.stringify(value).slice(1, -1).replace("<", "\\u003c"),
      ]) {
        const { shown, isFound } = await look(value, written);
        expect(shown).toBe("is ******** here");
        expect(isFound).toBe(true);
      }
  });
});

function inPieces(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}
