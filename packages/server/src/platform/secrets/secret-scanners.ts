import { Base64Scanner } from "./base64-scanner.ts";
import { decoders, HexDecoder } from "./decoders/index.ts";
import { DecodingScanner } from "./decoding-scanner.ts";
import type { PatternAutomaton } from "./pattern-automaton.ts";
import type { SecretPatterns } from "./secret-patterns.ts";
import type { Find, SecretScanner } from "./secret-scanner.ts";
import type { Reading } from "./utf8-sink.ts";

/** What looks for values that are encoded, in output and in files. */
export function encodedScanners(
  patterns: SecretPatterns,
  findBy: (automaton: PatternAutomaton) => Find,
  reading: Reading,
): readonly SecretScanner[] {
  const { url, html, escaped, hex, base64 } = patterns;
  return [
    new DecodingScanner(decoders.url(), url, findBy(url), reading),
    new DecodingScanner(decoders.html(), html, findBy(html), reading),
    new DecodingScanner(decoders.escaped(), escaped, findBy(escaped), reading),
    new DecodingScanner(new HexDecoder(), hex, findBy(hex), reading),
    new Base64Scanner(base64, findBy(base64)),
  ];
}
