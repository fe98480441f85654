import { describeStatusMatch, matchesStatus, type StatusMatch } from "@slipway/spec";
import { parseJson } from "../../platform/bounded-json.ts";
import { missingTexts } from "../../platform/find-text.ts";
import { inTurns } from "../../platform/in-turns.ts";
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
  // To show a large part of an answer takes milliseconds, and there may be thousands of places.
  for await (const [pointer, value] of inTurns(json))
    problems.push(...differenceAt(body.value, pointer, { value, shown }));
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
  if (isSameJson(found.value, value)) return [];
  return [`at '${pointer}' is ${shown(found.value)}, expected ${shown(value)}`];
}

/** Minus zero, to which programs round, is zero. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, at) => isSameJson(one, b[at]))
    );
  const entries = Object.entries(a);
  const others = new Map(Object.entries(b));
  return (
    entries.length === others.size && entries.every(([key, one]) => others.has(key) && isSameJson(one, others.get(key)))
  );
}

/** The beginning of an answer; of a page the words that people read. */
function beginning(text: string): string {
  const start = shortened(text, 20_000);
  const words = /^\s*<(?:!doctype|html)/i.test(start) ? start.replaceAll(/<[^<>]*>/g, " ") : start;
  const first = words.replaceAll(/\s+/g, " ").trim();
  return first === "" ? "" : `, with: ${first}`;
}
