import type { Findings } from "../diagnostics/diagnostic.ts";
import { withoutMark } from "../diagnostics/line-map.ts";
import { type FileKind, specificationFile } from "./file-kind.ts";

/**
 * Decodes a document to text; undefined if it cannot be read at all. Checks what YAML libraries do not:
 * size, encoding, control characters.
 */
export function decodeText(
  source: string | Uint8Array,
  findings: Findings,
  { name, maxBytes, whenTooLarge }: FileKind = specificationFile,
): string | undefined {
  if (byteLength(source, maxBytes) > maxBytes) {
    findings.add({
      code: "too_large",
      message: `The ${name} is larger than ${maxBytes / 1024 ** 2} MiB (${maxBytes} bytes).`,
      span: { start: 0, end: 0 },
      suggestion: whenTooLarge,
    });
    return undefined;
  }
  const decoded = typeof source === "string" ? source : decodeUtf8(source, findings);
  // Not text at all, but an image, an archive or UTF-16: one diagnostic is enough.
  if (findings.hasErrors && decoded.includes("\0")) return undefined;
  const text = withoutMark(decoded);
  if (text !== decoded) reportByteOrderMark(findings);
  reportInvalidCharacters(text, findings);
  return text;
}

function byteLength(source: string | Uint8Array, maxBytes: number): number {
  if (typeof source !== "string") return source.byteLength;
  // A UTF-16 unit takes one to three bytes in UTF-8, which usually decides without encoding.
  const isPlain = source.length * 3 <= maxBytes || source.length > maxBytes;
  return isPlain ? source.length : new TextEncoder().encode(source).byteLength;
}

function decodeUtf8(bytes: Uint8Array, findings: Findings): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Reported with its position below; the rest of the text is still checked.
  }
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const at = firstBadByte(bytes);
  const start = withoutMark(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, at))).length;
  const hex = bytes[at]!.toString(16).toUpperCase().padStart(2, "0");
  findings.add({
    code: "invalid_encoding",
    message: `The byte 0x${hex} is not valid UTF-8.`,
    span: { start, end: start + 1 },
    suggestion: "Save the file as UTF-8.",
  });
  return text;
}

/** Finds the longest valid prefix by bisection; a stream may end inside a character. */
function firstBadByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (good < bad) {
    const middle = (good + bad + 1) >> 1;
    if (isPrefixOfUtf8(bytes.subarray(0, middle))) good = middle;
    else bad = middle - 1;
  }
  // A truncated or malformed character is invalid from its first byte.
  const whole = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, good), { stream: true });
  return new TextEncoder().encode(whole).byteLength;
}

function isPrefixOfUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Control characters, lone surrogates, and a carriage return without a line feed. */
const invalidCharacter =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]|\r(?!\n)|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Characters that no string may contain, even as an escape: they cannot be stored or passed to a program. */
export const forbiddenCharacter = /\0|\p{Surrogate}/u;

/** A binary file is full of them; the first few are enough. */
const maxReportedCharacters = 20;

function reportByteOrderMark(findings: Findings): void {
  const message = "The text starts with a byte order mark, which is ignored.";
  findings.add({ code: "byte_order_mark", message, span: { start: 0, end: 0 } });
}

function reportInvalidCharacters(text: string, findings: Findings): void {
  const crlf = text.indexOf("\r\n");
  if (crlf !== -1) {
    const message = "Lines end in CR LF, which is read as LF.";
    findings.add({ code: "crlf_line_endings", message, span: { start: crlf, end: crlf + 1 } });
  }
  invalidCharacter.lastIndex = 0;
  for (let reported = 0; reported < maxReportedCharacters; reported += 1) {
    const match = invalidCharacter.exec(text);
    if (match === null) return;
    const name = `U+${match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    findings.add({
      code: "control_character",
      message: `The character ${name} is not allowed in a document.`,
      span: { start: match.index, end: match.index + 1 },
      suggestion:
        match[0] === "\r"
          ? "End lines with LF or CR LF."
          : forbiddenCharacter.test(match[0])
            ? "Remove it."
            : `Remove it, or write "\\u${name.slice(2)}" in double quotes.`,
    });
  }
}
