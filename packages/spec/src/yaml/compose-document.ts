import { Composer, Document, Lexer, Parser } from "yaml";
import type { Finding, Findings, Path, Span } from "../diagnostics/diagnostic.ts";
import { limits } from "../limits.ts";
import { tokenAt } from "./token-at.ts";

/**
 * The first document of a text as the YAML library reads it, with what is wrong with it; nothing where it goes beyond
 * a limit, which then has been said. All limits on the library's time, memory and recursion stand here.
 */
export function composeDocument(text: string, findings: Findings): Document | undefined {
  const composer = new Composer({
    // Looked for by the reader: the library compares each key with all keys before it.
    uniqueKeys: false,
    prettyErrors: false,
    stringKeys: true,
    logLevel: "silent",
    // Whatever a %YAML line says: no dates, no sets, no other kinds of value than JSON has.
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
  const hush = hushComments(text);
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
    for (const token of parser.next(hush(lexeme, isBlank, parser.offset))) {
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

/** The library goes on after each problem and takes a stack trace of it; a hostile text has a million of them. */
function boundProblems(composer: Composer): void {
  const report: (...problem: unknown[]) => void = composer["onError"];
  let left: number = limits.syntaxProblems;
  composer["onError"] = (...problem: unknown[]) => {
    // Thrown from anywhere inside of the document: nothing that the library could answer would be of use.
    if (left === 0) throw new TooManyProblems();
    left -= 1;
    report(...problem);
  };
}

/**
 * Makes blanks of comments that stand below very many lines of nothing but comments and blanks. They say nothing to
 * anyone, and from each of them the parser goes back over all those lines.
 */
function hushComments(text: string): (lexeme: string, isBlank: boolean, offset: number) => string {
  let emptyLines = 0;
  let isLineEmpty = true;
  return (lexeme, isBlank, offset) => {
    if (!isBlank) {
      isLineEmpty = false;
    } else if (lexeme === "\n" || lexeme === "\r\n") {
      emptyLines = isLineEmpty ? emptyLines + 1 : 0;
      isLineEmpty = true;
    } else if (isLineEmpty && emptyLines > mostEmptyLines) {
      // A tab before a comment is no indentation, and would be taken for it were the comment gone.
      if (lexeme[0] === "#" || text[offset + lexeme.length] === "#") return " ".repeat(lexeme.length);
    }
    return lexeme;
  };
}

const mostEmptyLines = 100;

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

export function tooDeep(span: Span, path?: Path): Finding {
  const message = `Maps and lists are nested more than ${limits.depth} levels deep.`;
  return { code: "too_deep", message, span, path, suggestion: "Reduce the nesting." };
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
