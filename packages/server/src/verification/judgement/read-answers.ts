import { oneLine } from "../../platform/one-line.ts";

/** What an agent points at: a file, and a text that is in it. */
export interface Shown {
  readonly path: string;
  readonly quote?: string;
}

/** What an agent says of a line. */
export interface Answer {
  readonly pointer: string;
  readonly verdict: "passed" | "failed" | "not_checked";
  readonly reason: string;
  readonly evidence: readonly Shown[];
}

export interface ReadAnswers {
  readonly answers: readonly Answer[];
  /** What could not be used, in words. */
  readonly problems: readonly string[];
}

export const maxAnswersBytes = 512 * 1024;
const maxEntries = 2_000;
const maxReason = 900;
const maxPath = 1_000;
const maxQuote = 2_000;
const maxShown = 20;
const maxProblems = 20;

/** Reads the answers of an agent to the lines that it was asked about. Anything may stand there. */
export function readAnswers(text: string, asked: ReadonlySet<string>): ReadAnswers {
  const entries = entriesOf(text);
  if (typeof entries === "string") return { answers: [], problems: [entries] };
  const answers = new Map<string, Answer>();
  const problems: string[] = [];
  const twice = new Set<string>();
  for (const entry of entries.slice(0, maxEntries)) {
    const answer = answerOf(entry, asked);
    if (typeof answer === "string") {
      if (problems.length < maxProblems) problems.push(answer);
    } else if (answers.has(answer.pointer)) twice.add(answer.pointer);
    else answers.set(answer.pointer, answer);
  }
  for (const pointer of twice)
    answers.set(pointer, { pointer, verdict: "not_checked", reason: "It was answered more than once.", evidence: [] });
  return { answers: [...answers.values()], problems };
}

function entriesOf(text: string): readonly unknown[] | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "The answers are not valid JSON.";
  }
  return Array.isArray(value) ? value : "The answers must be a JSON list.";
}

function answerOf(entry: unknown, asked: ReadonlySet<string>): Answer | string {
  if (typeof entry !== "object" || entry === null) return "An answer must be an object.";
  const { pointer, verdict, reason = "", evidence = [] } = entry as Record<string, unknown>;
  if (typeof pointer !== "string" || !asked.has(pointer))
    return `Nobody asked about ${typeof pointer === "string" ? `'${oneLine(pointer, 200)}'` : "a line without a pointer"}.`;
  if (verdict !== "passed" && verdict !== "failed" && verdict !== "not_checked")
    return `The verdict on '${oneLine(pointer, 200)}' must be passed, failed or not_checked.`;
  if (typeof reason !== "string" || !Array.isArray(evidence))
    return `The answer to '${oneLine(pointer, 200)}' needs a reason (text) and evidence (list).`;
  const shown = evidence.slice(0, maxShown).map(shownOf);
  if (shown.includes(undefined) || evidence.length > maxShown)
    return `The evidence for '${oneLine(pointer, 200)}' must be at most ${maxShown} entries of {path, quote}.`;
  return { pointer, verdict, reason: oneLine(reason, maxReason), evidence: shown as readonly Shown[] };
}

function shownOf(value: unknown): Shown | undefined {
  if (typeof value === "string") return value.length <= maxPath ? { path: value } : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const { path, quote } = value as Record<string, unknown>;
  if (typeof path !== "string" || path.length > maxPath) return undefined;
  if (quote === undefined) return { path };
  return typeof quote === "string" && quote.length <= maxQuote ? { path, quote } : undefined;
}
