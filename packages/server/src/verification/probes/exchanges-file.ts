import type { AcceptanceLine } from "@slipway/spec";
import type { Masker } from "../../platform/secrets/index.ts";
import type { EvidenceFile } from "../verdict.ts";
import type { KeptExchange } from "./probe.ts";

const maxBodyChars = 2_000;
const maxDebugChars = 64 * 1024;
/** Masking takes time for each character, and a program answers what it likes. */
const maxChars = 512 * 1024;

/** What was asked and answered, as an artifact; with `debug: true` the whole answers. */
export function exchangesFile(
  kept: readonly KeptExchange[],
  lines: readonly AcceptanceLine[],
  masker: Pick<Masker, "maskAndCut">,
): readonly EvidenceFile[] {
  if (kept.length === 0) return [];
  const debugged = new Set(
    lines.flatMap(({ pointer, check }) => (check.kind === "http_endpoint" && check.keepsEvidence ? [pointer] : [])),
  );
  let left = maxChars;
  const take = (text: string, max: number) => {
    const shown = masker.maskAndCut(text, Math.min(max, left));
    left -= shown.length;
    return shown;
  };
  const headersOf = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, take(value, maxBodyChars)]));
  const shown = kept.map(({ pointer, method, url, sent, answer, failure, durationMs }) => ({
    ...{ pointer, method, url: take(url, maxBodyChars), duration_ms: durationMs },
    request: { headers: headersOf(sent.headers), body: sent.body === undefined ? null : take(sent.body, maxBodyChars) },
    answer: answer && {
      status: answer.status,
      headers: headersOf(answer.headers),
      body: take(answer.text, debugged.has(pointer) ? maxDebugChars : maxBodyChars),
    },
    ...(failure !== undefined && { failure }),
  }));
  const text = `${JSON.stringify(shown, undefined, 2)}\n`;
  return [{ type: "acceptance_report", path: "verification/exchanges.json", mediaType: "application/json", text }];
}
