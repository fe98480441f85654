import { type Document, visit } from "yaml";
import type { Finding, Findings } from "../diagnostics/diagnostic.ts";
import { shorten } from "./shorten.ts";
import { explainSyntaxProblem, type OpeningOf, type SyntaxProblem } from "./syntax-problem.ts";

/**
 * Reports syntax problems, one per line, because further ones usually follow from the first. Returns the offset from
 * which the text could not be understood.
 */
export function reportSyntax(document: Document, text: string, findings: Findings): number {
  const problems = [...document.errors, ...document.warnings.filter(({ code }) => code !== "BAD_INDENT")];
  if (problems.length === 0) return Number.POSITIVE_INFINITY;
  const openingOf = openings(document);
  let brokenFrom = Number.POSITIVE_INFINITY;
  let lastLineEnd = -1;
  for (const problem of problems.sort((a, b) => a.pos[0] - b.pos[0])) {
    // Once the library gives up, it reports everything that is left.
    const isLeftOver = lastLineEnd !== -1 && problem.message.includes("token in YAML stream");
    if (problem.pos[0] <= lastLineEnd || isLeftOver) continue;
    const lineEnd = text.indexOf("\n", problem.pos[0]);
    lastLineEnd = lineEnd === -1 ? text.length : lineEnd;
    if (problem.code === "TAG_RESOLVE_FAILED" || problem.code === "BAD_COLLECTION_TYPE") {
      findings.add(tagFinding(problem, text));
    } else {
      const finding = syntaxFinding(problem, text, openingOf);
      if (finding.span.start < brokenFrom) brokenFrom = startOfBroken(finding.span.start, text);
      findings.add(finding);
    }
  }
  return brokenFrom;
}

/** Where quotes and brackets open, by the offset where their content ends; of several, the innermost. */
function openings(document: Document): OpeningOf {
  const starts = { quote: new Map<number, number>(), bracket: new Map<number, number>() };
  visit(document, {
    Scalar: (_, { type, range }) => {
      if (range && (type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE")) starts.quote.set(range[1], range[0]);
    },
    Collection: (_, { flow, range }) => {
      if (range && flow) starts.bracket.set(range[1], range[0]);
    },
  });
  return (what, end) => starts[what].get(end);
}

/** The start of the problem's line, or of the keys before it whose value would be there. */
function startOfBroken(offset: number, text: string): number {
  let start = text.lastIndexOf("\n", offset - 1) + 1;
  for (let end = start - 1; end > 0; ) {
    const from = text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(from, end).trim();
    if (opensValue(line)) start = from;
    else if (line !== "" && !line.startsWith("#")) break;
    end = from - 1;
  }
  return start;
}

/**
 * Whether a trimmed line ends with '-', or with ':' and perhaps a comment, so that its value is below. It scans: an
 * expression would try each ':' of a hostile line up to the line's end.
 */
export function opensValue(line: string): boolean {
  if (line.endsWith(":")) return true;
  if (line.endsWith("-") && (line.length === 1 || isBlank(line.at(-2)))) return true;
  // The editors' other line breaks end a comment here as well.
  const from = Math.max(...["\r", "\u2028", "\u2029"].map((sign) => line.lastIndexOf(sign))) + 1;
  for (let mark = line.indexOf("#", from); mark !== -1; mark = line.indexOf("#", mark + 1)) {
    let end = mark;
    while (isBlank(line[end - 1])) end -= 1;
    if (end < mark && line[end - 1] === ":") return true;
  }
  return false;
}

const isBlank = (sign: string | undefined) => sign !== undefined && /\s/.test(sign);

function tagFinding(problem: SyntaxProblem, text: string): Finding {
  const [start, end] = problem.pos;
  return {
    code: "unknown_tag",
    message: `The tag '${shorten(text.slice(start, end))}' is not supported.`,
    span: { start, end },
    suggestion: "Remove it, or quote the value if '!' is part of it.",
  };
}

function syntaxFinding(problem: SyntaxProblem, text: string, openingOf: OpeningOf): Finding {
  const { what, suggestion, span } = explainSyntaxProblem(problem, text, openingOf);
  const message: Finding["message"] = (lineOf) => `Invalid YAML syntax at line ${lineOf(span.start)}: ${what}`;
  return { code: "yaml_syntax", message, span, suggestion };
}
