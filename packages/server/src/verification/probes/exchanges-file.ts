import type { AcceptanceLine } from "@slipway/spec";
import { inTurns } from "../../platform/in-turns.ts";
import type { Masker } from "../../platform/secrets/index.ts";
import type { EvidenceFile } from "../verdict.ts";
import type { KeptExchange } from "./probe.ts";

const maxBodyChars = 2_000;
const maxDebugChars = 64 * 1024;
/** Masking takes time for each character, and a program answers what it likes. */
const maxChars = 512 * 1024;

/** What was asked and answered, as an artifact; with `debug: true` the whole answers. */
export async function exchangesFile(
  kept: readonly KeptExchange[],
  lines: readonly AcceptanceLine[],
  masker: Pick<Masker, "maskAndCutInSlices">,
): Promise<readonly EvidenceFile[]> {
  if (kept.length === 0) return [];
  const debugged = new Set(
    lines.flatMap(({ pointer, check }) => (check.kind === "http_endpoint" && check.keepsEvidence ? [pointer] : [])),
  );
  let left = maxChars;
  const take = async (text: string, max: number) => {
    const shown = left === 0 ? "" : await masker.maskAndCutInSlices(text, Math.min(max, left));
    left -= shown.length;
    return shown;
  };
  const headersOf = async (headers: Readonly<Record<string, string>>) => {
    const shown: [name: string, value: string][] = [];
    for await (const [name, value] of inTurns(Object.entries(headers)))
      shown.push([name, await take(value, maxBodyChars)]);
    return Object.fromEntries(shown);
  };
  const shown: object[] = [];
  for await (const { pointer, method, url, sent, answer, failure, durationMs } of inTurns(kept)) {
    const maxAnswer = debugged.has(pointer) ? maxDebugChars : maxBodyChars;
    shown.push({
      ...{ pointer, method, url: await take(url, maxBodyChars), duration_ms: durationMs },
      request: {
        headers: await headersOf(sent.headers),
        body: sent.body === undefined ? null : await take(sent.body, maxBodyChars),
      },
      answer: answer && {
        status: answer.status,
        headers: await headersOf(answer.headers),
        body: await take(answer.text, maxAnswer),
      },
      ...(failure !== undefined && { failure }),
    });
  }
  const text = `${JSON.stringify(shown, undefined, 2)}\n`;
  return [{ type: "acceptance_report", path: "verification/exchanges.json", mediaType: "application/json", text }];
}
