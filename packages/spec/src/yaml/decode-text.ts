import type { Findings } from "../diagnostics/diagnostic.ts";
import { limits } from "../limits.ts";

/**
 * The text of a document given as bytes or text, or nothing where it cannot be read at all. Looks at what YAML
 * libraries let pass: size, encoding, control characters.
 */
export function decodeText(source: string | Uint8Array, findings: Findings): string | undefined {
  if (byteLength(source) > limits.documentBytes) {
    findings.add({
      code: "too_large",
      message: `The document is larger than 1 MiB (${limits.documentBytes} bytes).`,
      span: { start: 0, end: 0 },
      suggestion: "Move data out of the document, into files of the project.",
    });
    return undefined;
  }
  const text = typeof source === "string" ? source : decodeUtf8(source, findings);
  reportOddCharacters(text, findings);
  return text;
}

const byteOrderMark = "\uFEFF";

function byteLength(source: string | Uint8Array): number {
  if (typeof source !== "string") return source.byteLength;
  // A character has at most three bytes for each of its UTF-16 units.
  return source.length * 3 <= limits.documentBytes ? source.length : new TextEncoder().encode(source).byteLength;
}

function decodeUtf8(bytes: Uint8Array, findings: Findings): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Said with its place below; the rest of the text is still looked at.
  }
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const at = firstBadByte(bytes);
  const start = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, at)).length;
  const hex = bytes[at]!.toString(16).toUpperCase().padStart(2, "0");
  findings.add({
    code: "invalid_encoding",
    message: `The byte 0x${hex} is not valid UTF-8.`,
    span: { start, end: start + 1 },
    suggestion: "Save the file as UTF-8.",
  });
  return text;
}

/** The longest prefix that decodes, by halving: a prefix cut inside a character is fine in a stream. */
function firstBadByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (good < bad) {
    const middle = (good + bad + 1) >> 1;
    if (isPrefixOfUtf8(bytes.subarray(0, middle))) good = middle;
    else bad = middle - 1;
  }
  // All of it is a prefix when the last character is cut off: then its first byte is the bad one.
  if (good === bytes.length) while (good > 0 && (bytes[good - 1]! & 0xc0) === 0x80) good -= 1;
  return Math.min(good === bytes.length ? good - 1 : good, bytes.length - 1);
}

function isPrefixOfUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Control characters, half surrogates, and a carriage return that ends no line. */
const oddCharacter =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\ufffe\uffff]|\r(?!\n)|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A file full of them is no document; the first few say so. */
const mostOddCharacters = 20;

function reportOddCharacters(text: string, findings: Findings): void {
  const hasMark = text.startsWith(byteOrderMark);
  if (hasMark) {
    const message = "The text starts with a byte order mark. It is not needed, and ignored.";
    findings.add({ code: "byte_order_mark", message, span: { start: 0, end: 1 } });
  }
  const crlf = text.indexOf("\r\n");
  if (crlf !== -1) {
    const message = "Lines end in CR LF. They are read as LF.";
    findings.add({ code: "crlf_line_endings", message, span: { start: crlf, end: crlf + 1 } });
  }
  oddCharacter.lastIndex = hasMark ? 1 : 0;
  for (let reported = 0; reported < mostOddCharacters; reported += 1) {
    const match = oddCharacter.exec(text);
    if (match === null) return;
    const name = `U+${match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    findings.add({
      code: "control_character",
      message: `The character ${name} is not allowed in a document.`,
      span: { start: match.index, end: match.index + 1 },
      suggestion:
        match[0] === "\r"
          ? "End lines with LF or CR LF."
          : `Remove it, or write "\\u${name.slice(2)}" in double quotes.`,
    });
  }
}
