import { Composer, Document, Lexer, Parser } from "yaml";
import type { Findings } from "../diagnostics/diagnostic.ts";
import { limits } from "../limits.ts";
import { tooDeep } from "./node-findings.ts";
import { tokenAt } from "./token-at.ts";

/**
 * Parses the first document of a text with the YAML library. Returns undefined, and reports it, if a limit is exceeded.
 * All limits on the library's time, memory and recursion are here.
 */
export function composeDocument(text: string, findings: Findings): Document | undefined {
  const composer = new Composer({
    // The reader checks this: the library's check is quadratic.
    uniqueKeys: false,
    prettyErrors: false,
    stringKeys: true,
    logLevel: "silent",
    // Whatever a %YAML line says: only the types that JSON has, no dates or sets.
    schema: "core",
    resolveKnownTags: false,
    merge: false,
  });
  boundProblems(composer);
  try {
    return composeFirst(text, composer, findings);
  } catch (error) {
    if (!(error instanceof TooManyProblems)) throw error;
    const { errors, warnings } = composer.streamInfo();
    return Object.assign(new Document(), { errors, warnings });
  }
}

function composeFirst(text: string, composer: Composer, findings: Findings): Document | undefined {
  const parser = new Parser();
  const blank = blankComments(text);
  let first: Document | undefined;
  let tokens = 0;
  let problems = 0;
  const take = (documents: Iterable<Document>) => {
    for (const document of documents) {
      if (first !== undefined) return reportSecondDocument(document, text, findings);
      first = document;
    }
    return true;
  };
  for (const lexeme of new Lexer().lex(text)) {
    const isBlank = isBlankOrComment(lexeme);
    for (const token of parser.next(blank(lexeme, isBlank, parser.offset))) {
      if (!take(composer.next(token))) return first;
      if (token.type === "error") problems += 1;
    }
    if (problems > limits.syntaxProblems) break;
    if (parser.stack.length > limits.depth && collectionsIn(parser.stack) > limits.depth) {
      findings.add(tooDeep({ start: Math.max(0, parser.offset - 1), end: parser.offset }));
      return undefined;
    }
    if (!isBlank) tokens += 1;
    if (tokens > limits.tokens) return reportTooManyTokens(parser.offset, findings);
  }
  for (const token of parser.end()) if (!take(composer.next(token))) return first;
  take(composer.end(true, text.length));
  return first;
}

class TooManyProblems extends Error {}

/** The library continues after each problem and records a stack trace; a hostile text has a million problems. */
function boundProblems(composer: Composer): void {
  const report: (...problem: unknown[]) => void = composer["onError"];
  let left: number = limits.syntaxProblems;
  composer["onError"] = (...problem: unknown[]) => {
    // Abandons the whole parse: its result would be of no use.
    if (left === 0) throw new TooManyProblems();
    left -= 1;
    report(...problem);
  };
}

/**
 * Replaces comments with blanks below very many lines of only comments and blanks: from each such comment the parser
 * rescans all those lines.
 */
function blankComments(text: string): (lexeme: string, isBlank: boolean, offset: number) => string {
  let emptyLines = 0;
  let isLineEmpty = true;
  return (lexeme, isBlank, offset) => {
    if (!isBlank) {
      isLineEmpty = false;
    } else if (lexeme === "\n" || lexeme === "\r\n") {
      emptyLines = isLineEmpty ? emptyLines + 1 : 0;
      isLineEmpty = true;
    } else if (isLineEmpty && emptyLines > maxEmptyLines) {
      // Without its comment, a tab before it would count as indentation.
      if (lexeme[0] === "#" || text[offset + lexeme.length] === "#") return " ".repeat(lexeme.length);
    }
    return lexeme;
  };
}

const maxEmptyLines = 100;

function isBlankOrComment(lexeme: string): boolean {
  switch (lexeme[0]) {
    case " ":
    case "\t":
    case "\n":
    case "\r":
    case "#":
      return true;
    default:
      return false;
  }
}

function collectionsIn(stack: readonly { type: string }[]): number {
  return stack.filter(({ type }) => type === "block-map" || type === "block-seq" || type === "flow-collection").length;
}

function reportTooManyTokens(offset: number, findings: Findings): undefined {
  findings.add({
    code: "too_many_entries",
    message: `The document is too large to read: it has more than ${limits.tokens} YAML tokens.`,
    span: { start: Math.max(0, offset - 1), end: offset },
    suggestion: "Move data from the document into project files.",
  });
}

function reportSecondDocument(document: Document, text: string, findings: Findings): false {
  findings.add({
    code: "multiple_documents",
    message: "The file contains more than one document. Only the first is read.",
    span: tokenAt(text, document.range?.[0] ?? 0),
    suggestion: "Put each document in its own file.",
  });
  return false;
}
