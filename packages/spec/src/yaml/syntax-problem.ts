import type { Span } from "../diagnostics/diagnostic.ts";
import { lineFrom, tokenAt } from "./token-at.ts";

/** A problem as the YAML library reports it. */
export interface SyntaxProblem {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [start: number, end: number];
}

/** Finds where the quote or bracket opens whose content ends at an offset. */
export type OpeningOf = (what: "quote" | "bracket", end: number) => number | undefined;

/** What is wrong, what to do, and where; often before the offset at which the library noticed. */
export interface Explanation {
  readonly what: string;
  readonly suggestion: string;
  readonly span: Span;
}

/** Explains a problem without the terms of YAML's grammar. */
export function explainSyntaxProblem(problem: SyntaxProblem, text: string, openingOf: OpeningOf): Explanation {
  const { code, message } = problem;
  const [start] = problem.pos;
  const span = { start, end: Math.max(start, problem.pos[1]) };
  switch (code) {
    case "TAB_AS_INDENT":
      return { what: "a tab is used as indentation.", suggestion: "Indent with spaces.", span };
    case "BAD_INDENT":
      return message.startsWith("Flow") ? unclosedBracket(start, text, openingOf) : misaligned(start, text);
    case "BLOCK_AS_IMPLICIT_KEY":
      return message.startsWith("A block sequence")
        ? entryAmongKeys(tokenAt(text, start).start)
        : mapInValue(start, text);
    case "MULTILINE_IMPLICIT_KEY":
      return keyOverLines(start, text);
    case "BAD_SCALAR_START":
      return badStart(start, text);
    case "BAD_DQ_ESCAPE":
      return {
        what: sentence(message),
        suggestion: "Use single quotes, or double the backslash.",
        span: { start, end: start + 2 },
      };
    case "MISSING_CHAR":
      return missingCharacter(problem, text, openingOf);
    case "UNEXPECTED_TOKEN":
      return unexpectedToken(problem, text, openingOf);
    case "NON_STRING_KEY":
      return keyIsNoText(span, text);
    case "BLOCK_IN_FLOW":
      return {
        what: "brackets cannot contain a second ': ' or a line that starts with '- '.",
        suggestion: "Separate entries with ',', and quote a string that contains ': '.",
        span: tokenAt(text, start),
      };
    case "KEY_OVER_1024_CHARS":
      return {
        what: "a key is longer than 1024 characters.",
        suggestion: "Look for a missing line break before it.",
        span,
      };
    case "BAD_DIRECTIVE":
      return { what: sentence(message), suggestion: "Remove the line that starts with '%'.", span };
    case "ALIAS_PROPS":
      return {
        what: "an alias cannot have its own anchor or tag.",
        suggestion: "Remove what is before the alias, or quote the value.",
        span,
      };
    case "MULTIPLE_ANCHORS":
    case "MULTIPLE_TAGS":
    case "BAD_PROP_ORDER":
    case "BAD_ALIAS":
      return {
        what: sentence(message.replace("A node", "A value")),
        suggestion: "Remove it, or quote the value.",
        span,
      };
    default:
      return { what: sentence(message), suggestion: lookAround, span };
  }
}

const lookAround = "Check the quotes, brackets and indentation around it.";

function badStart(at: number, text: string): Explanation {
  const what = `a value cannot start with '${text[at]}'.`;
  return { what, suggestion: "Quote the value.", span: { start: at, end: at + 1 } };
}

function misaligned(at: number, text: string): Explanation {
  return {
    what: "the indentation does not match the neighbouring lines.",
    suggestion: "Align the line with them, using spaces.",
    span: tokenAt(text, at),
  };
}

/** `a: b: c`, or an indented key below a value. */
function mapInValue(at: number, text: string): Explanation {
  if (text[at] === "?") return badStart(at, text);
  const colon = /:(?=\s|$)/.exec(lineFrom(text, at));
  if (colon === null) {
    const below = /\n[^\S\n]*(?=\S)/g;
    below.lastIndex = at;
    return {
      what: "the line is indented below a key that already has a value.",
      suggestion: "Align it with the key above it.",
      span: tokenAt(text, below.exec(text) === null ? at : below.lastIndex),
    };
  }
  return {
    what: "a second ': ' on the line starts a map inside a value.",
    suggestion: "Quote the value if ': ' is part of it, or start the map on a new line.",
    span: { start: at + colon.index, end: at + colon.index + 1 },
  };
}

function keyOverLines(at: number, text: string): Explanation {
  if (text[at] === '"' || text[at] === "'") return unclosedQuote(at);
  return text[at] === "-" ? entryAmongKeys(at) : missingColon(at, text);
}

function entryAmongKeys(at: number): Explanation {
  return {
    what: "there is a list entry where a key is expected.",
    suggestion: "Indent the list below its key, or remove the '- '.",
    span: { start: at, end: at + 1 },
  };
}

function missingColon(at: number, text: string): Explanation {
  const span = tokenAt(text, at);
  return {
    what: "a key is not followed by ': '.",
    suggestion: /^[\w.-]+:\S/.test(text.slice(span.start, span.end))
      ? "Write a space after the ':'."
      : "Write ': ' after the key, or indent the line if it continues the text above it.",
    span,
  };
}

function unclosedQuote(opening: number): Explanation {
  return {
    what: "a quote is opened but not closed.",
    suggestion: "Close the quote.",
    span: { start: opening, end: opening + 1 },
  };
}

function unclosedBracket(at: number, text: string, openingOf: OpeningOf): Explanation {
  const opening = openingOf("bracket", at) ?? at;
  const bracket = text[opening];
  const suggestion = `Close it with '${bracket === "{" ? "}" : "]"}'.`;
  const isClosedByOther = /[\]}]/.test(text[at] ?? "") && !text.slice(opening, at).includes("\n");
  return isClosedByOther
    ? { what: `a '${bracket}' is closed with '${text[at]}'.`, suggestion, span: { start: at, end: at + 1 } }
    : { what: `a '${bracket}' is opened but not closed.`, suggestion, span: { start: opening, end: opening + 1 } };
}

function missingCharacter({ message, pos }: SyntaxProblem, text: string, openingOf: OpeningOf): Explanation {
  const [start] = pos;
  const span = { start, end: Math.max(...pos) };
  if (message.startsWith("Missing closing")) return unclosedQuote(openingOf("quote", start) ?? start);
  if (message.startsWith("Flow")) return unclosedBracket(start, text, openingOf);
  if (message.startsWith("Implicit map keys")) return missingColon(start, text);
  if (message.startsWith("Sequence item"))
    return {
      what: "a list entry does not start with '- '.",
      suggestion: "Start it with '- ', or indent it.",
      span,
    };
  if (message.startsWith("Missing ,"))
    return {
      what: "a ',' or a ': ' is missing before this.",
      suggestion: "Write ',' between two entries, and ': ' between a key and its value.",
      span: tokenAt(text, start),
    };
  if (message.startsWith("Missing space"))
    return { what: "a ':' is not followed by a space.", suggestion: "Write a space after the ':'.", span };
  if (message.startsWith("Comments"))
    return {
      what: "a '#' directly follows a value.",
      suggestion: "Write a space before the comment, or quote the whole value.",
      span,
    };
  if (message.startsWith("Missing directives-end"))
    return {
      what: "a '---' line must follow a line that starts with '%'.",
      suggestion: "Remove the line that starts with '%'.",
      span: tokenAt(text, start),
    };
  return { what: sentence(message), suggestion: "Start it on its own line, or quote the value.", span };
}

function unexpectedToken({ message, pos }: SyntaxProblem, text: string, openingOf: OpeningOf): Explanation {
  const [start] = pos;
  const span = { start, end: Math.max(...pos) };
  if (/at node end$|^Unexpected scalar token$/.test(message)) return afterValue(span, text, openingOf);
  if (/^Unexpected (,|empty item) in/.test(message))
    return { what: "there is nothing before this ','.", suggestion: "Remove the ',' or write an entry.", span };
  if (message.includes("block-seq-ind on same line"))
    return {
      what: "a list cannot start on the same line as its key.",
      suggestion: "Start it on the next line, or quote the value.",
      span,
    };
  if (message.startsWith("Block scalar header"))
    return {
      what: "text after '|' or '>' must start on the next line.",
      suggestion: "Start it on the next line, or quote the value.",
      span: tokenAt(text, start),
    };
  if (/flow-(map|seq)-end/.test(message))
    return {
      what: `a '${text[start]}' closes a bracket that was not opened.`,
      suggestion: "Remove it, or quote the whole value.",
      span,
    };
  return { what: "this is not expected here.", suggestion: lookAround, span };
}

/** Text after the end of a value. If the value is a quoted string over several lines, its closing quote is missing. */
function afterValue(span: Span, text: string, openingOf: OpeningOf): Explanation {
  const before = text.slice(text.lastIndexOf("\n", span.start - 1) + 1, span.start).trimEnd();
  if (before === "") return misaligned(span.start, text);
  let end = span.start;
  while (text[end - 1] === " " || text[end - 1] === "\t") end -= 1;
  const opening = openingOf("quote", end);
  if (opening === undefined)
    return { what: "there is more text after the end of the value.", suggestion: "Quote the whole value.", span };
  if (text.slice(opening, end).includes("\n")) return unclosedQuote(opening);
  return {
    what: "there is more text after the closing quote.",
    suggestion:
      text[opening] === '"'
        ? 'Write a quote inside the string as \\", or use single quotes.'
        : "Write a quote inside the string as '', or use double quotes.",
    span,
  };
}

/** Usually an unquoted template, `{{…}}`. */
function keyIsNoText(span: Span, text: string): Explanation {
  const at = text[span.start - 1] === "{" ? span.start - 1 : span.start;
  const template = /^\{\{[^{}]*\}\}/.exec(lineFrom(text, at))?.[0];
  return template === undefined
    ? { what: "a key must be a string, not a list or a map.", suggestion: "Write a string, or quote it.", span }
    : {
        what: "a value cannot start with '{{'.",
        suggestion: `Quote the whole value: "${template}".`,
        span: { start: at, end: at + template.length },
      };
}

/** The library's message may quote the whole document. */
function sentence(message: string): string {
  const oneLine = message.replace(/\s+/g, " ").replace(/\.$/, "");
  const short = oneLine.length > 120 ? `${oneLine.slice(0, 119)}…` : oneLine;
  return `${short.charAt(0).toLowerCase()}${short.slice(1)}.`;
}
