import type { Language } from "../test-files.ts";
import { codeLines } from "./code-lines.ts";
import { type Hint, parseSource } from "./parse-source.ts";

export interface SourceText {
  readonly path: string;
  readonly text: string;
  readonly language: Language;
}

/** What can be told of a source file from its text alone. */
export interface SourceLines {
  /** Numbers of the lines that hold code: not blank, not only a comment. */
  readonly code: readonly number[];
  /** Lines under comments that ask coverage to look away. */
  readonly hidden: ReadonlySet<number>;
  /** Functions by their look; exact numbers come from the runner where the file was loaded. */
  readonly functionLines: readonly number[];
  /** Nothing in it runs: only types, or declarations of Go. */
  readonly isEmpty: boolean;
}

/** Reads a source file without understanding it: by the look of its lines. */
export function readSourceLines({ path, text, language }: SourceText): SourceLines {
  const lines = text.split("\n");
  const parsed = language === "javascript" ? parseSource(path, text) : undefined;
  const code = parsed === undefined ? codeLines(lines, language) : linesWithText(parsed.withoutComments);
  return {
    code,
    hidden: parsed === undefined ? hiddenLines(lines) : hiddenByHints(lines.length, parsed.hints),
    functionLines: code.filter((number) => functionLook[language].test(startOf(lines[number - 1]!))),
    // Go's profile has statements of functions alone: what only declares is in none.
    isEmpty: code.length === 0 || parsed?.isOnlyTypes === true || (language === "go" && !/\bfunc\b/.test(text)),
  };
}

const functionLook: Readonly<Record<Language, RegExp>> = {
  javascript:
    /\bfunction\b|=>|^\s*(?:(?:static|async|get|set|private|public|protected)\s+)*(?!if\b|for\b|while\b|switch\b|catch\b|return\b)[#\w$]+\s*\([^()]*\)\s*(?::[^{]+)?\{\s*$/,
  python: /^\s*(?:async\s+)?def\s/,
  go: /^func\b/,
  rust: /\bfn\s+\w/,
};

function linesWithText(text: string): number[] {
  return text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [index + 1]));
}

const hideFile = /(?:istanbul|[cv]8|node:coverage)\s+ignore\s+file|#\s*coverage:\s*skip/;
const hideStart = /(?:istanbul|[cv]8|node:coverage)\s+ignore\s+start|node:coverage\s+disable/;
const hideStop = /(?:istanbul|[cv]8|node:coverage)\s+ignore\s+stop|node:coverage\s+enable/;
const hideNext = /(?:istanbul|[cv]8|node:coverage)\s+ignore\s+(?:next|if|else)(?:\s+(\d{1,5}))?/;

function hiddenLines(lines: readonly string[]): Set<number> {
  const hidden = new Set<number>();
  let isHidden = false;
  let hiddenUntil = 0;
  for (const [index, line] of lines.entries()) {
    const text = line.slice(0, 1_000);
    if (hideFile.test(text)) return new Set(lines.map((_, at) => at + 1));
    if (hideStart.test(text)) isHidden = true;
    const next = hideNext.exec(text);
    // A comment below another says nothing new where it does not reach further.
    if (next?.[1] !== undefined) hiddenUntil = Math.max(hiddenUntil, index + 1 + Number(next[1]));
    else if (next !== null && index + 1 >= hiddenUntil)
      hiddenUntil = Math.max(hiddenUntil, index + 1 + lengthOfBlock(lines, index + 1));
    if (isHidden || index + 1 <= hiddenUntil) hidden.add(index + 1);
    if (hideStop.test(text)) isHidden = false;
  }
  return hidden;
}

/** The same where a parser found the comments, and what follows each. */
function hiddenByHints(count: number, hints: readonly Hint[]): Set<number> {
  const hidden = new Set<number>();
  let last = 0;
  // Comments may stand on every line, and reach to the end: each line is hidden once, in their order.
  const hide = (from: number, until: number) => {
    for (let line = Math.max(from, last + 1); line <= Math.min(until, count); line += 1) hidden.add(line);
    last = Math.max(last, until);
  };
  const isWhole = hints.some(({ text }) => hideFile.test(text));
  let since = isWhole ? 1 : undefined;
  for (const { text, line, lastLine } of isWhole ? [] : hints) {
    if (hideStart.test(text)) since ??= line;
    if (since !== undefined) hide(since, line);
    const next = hideNext.exec(text);
    if (next !== null) hide(line, next[1] === undefined ? lastLine : line + Number(next[1]));
    if (hideStop.test(text)) since = undefined;
  }
  if (since !== undefined) hide(since, count);
  return hidden;
}

/** Comments may stand on every line: none of them is followed for long. */
const maxBlockLines = 200;

/** How many lines the statement after a comment takes: until its braces are closed. */
function lengthOfBlock(lines: readonly string[], from: number): number {
  let open = 0;
  const last = Math.min(lines.length, from + maxBlockLines);
  for (let at = from; at < last; at += 1) {
    for (const letter of lines[at]!.slice(0, 1_000)) open += letter === "{" ? 1 : letter === "}" ? -1 : 0;
    if (open <= 0 && lines[at]!.trim() !== "") return at - from + 1;
  }
  return last - from;
}

/** However far it is indented. */
function startOf(line: string): string {
  return line.replace(/^\s+/, " ").slice(0, 1_000);
}
