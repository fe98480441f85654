import { isDeepStrictEqual } from "node:util";
import { describeStatusMatch, matchesStatus, type StatusMatch } from "@slipway/spec";
import { parseJson } from "../../platform/bounded-json.ts";
import { missingTexts } from "../../platform/find-text.ts";
import { whyNotMatching } from "../../platform/json-schema/index.ts";
import { shortened } from "../../platform/one-line.ts";
import type { ProbeAnswer } from "./exchange.ts";
import { notJson, valueAt } from "./json-pointer.ts";
import type { Probe } from "./probe.ts";

interface Expected {
  readonly status: StatusMatch;
  readonly contains?: readonly string[];
  /** A JSON Schema; a key that is absent asks for nothing. */
  readonly schema?: unknown;
  readonly json?: readonly (readonly [pointer: string, value: unknown])[];
}

const maxQuoted = 160;

/** What of an answer is not as expected. */
export async function answerProblems(
  answer: ProbeAnswer,
  expected: Expected,
  { signal, masker }: Pick<Probe, "signal" | "masker">,
): Promise<readonly string[]> {
  const quoted = () => masker.maskAndCut(beginning(answer.text), maxQuoted);
  const { status, contains = [], json = [] } = expected;
  const problems: string[] = [];
  const isExpected = matchesStatus(status, answer.status);
  if (!isExpected) problems.push(`it answered ${answer.status}, expected ${describeStatusMatch(status)}${quoted()}`);
  const missing = await missingTexts(answer.text, contains);
  if (missing.length > 0) {
    const texts = missing.map((text) => `'${text.slice(0, 100)}'`).join(" and ");
    problems.push(`the answer does not contain ${texts}${isExpected ? quoted() : ""}`);
  }
  // Another answer looks different: that alone is what to mend.
  if (!isExpected || (json.length === 0 && !("schema" in expected))) return problems;
  const body = parseJson(answer.text);
  if (body === undefined) return [...problems, `${notJson(answer.text)}${quoted()}`];
  const shown = (value: unknown) => masker.maskAndCut(JSON.stringify(value), 100);
  problems.push(...json.flatMap(([pointer, value]) => differenceAt(body.value, pointer, { value, shown })));
  if ("schema" in expected) {
    const reason = await whyNotMatching({ schema: expected.schema, value: body.value }, signal);
    if (reason !== undefined) problems.push(reason);
  }
  return problems;
}

function differenceAt(
  body: unknown,
  pointer: string,
  { value, shown }: { readonly value: unknown; readonly shown: (value: unknown) => string },
): readonly string[] {
  const found = valueAt(body, pointer);
  if (found === undefined) return [`the answer has nothing at '${pointer}', expected ${shown(value)}`];
  if (isDeepStrictEqual(found.value, value)) return [];
  if (isDeepStrictEqual(withoutMinusZero(found.value), withoutMinusZero(value))) return [];
  return [`at '${pointer}' is ${shown(found.value)}, expected ${shown(value)}`];
}

/** Programs round to it; to whoever reads numbers, it is zero. */
function withoutMinusZero(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json));
}

/** The beginning of an answer; of a page the words that people read. */
function beginning(text: string): string {
  const start = shortened(text, 20_000);
  const words = /^\s*<(?:!doctype|html)/i.test(start) ? start.replaceAll(/<[^<>]*>/g, " ") : start;
  const first = words.replaceAll(/\s+/g, " ").trim();
  return first === "" ? "" : `, with: ${first}`;
}
