import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type YAMLMap,
} from "yaml";
import type { Finding, Findings, Path, Span } from "../diagnostics/diagnostic.ts";
import { limits } from "../limits.ts";
import type { Entry, ListNode, MapNode, Node, ScalarNode } from "./node.ts";
import { explainSyntaxProblem, type SyntaxProblem } from "./syntax-problem.ts";

/**
 * Reads YAML into nodes with their places. Problems go to `findings`; nothing is thrown, however the text was made.
 * Answers nothing when there is no document to look at, and with it the place from which on the text was not
 * understood, if there is one.
 */
export function readYaml(text: string, findings: Findings): { root: Node | undefined; brokenFrom: number } {
  const composed = compose(text, findings);
  if (composed === undefined) return { root: undefined, brokenFrom: 0 };
  const brokenFrom = reportSyntax(composed, text, findings);
  const contents = composed.contents as ParsedNode | null;
  if (contents === null) {
    if (brokenFrom === Number.POSITIVE_INFINITY) reportEmpty(findings);
    return { root: undefined, brokenFrom };
  }
  const root = new Reader(findings).read(contents, undefined);
  return { root, brokenFrom };
}

/** Composes the first document, unless it is nested too deeply for the library's recursion and ours. */
function compose(text: string, findings: Findings): Document | undefined {
  const lexer = new Lexer();
  const parser = new Parser();
  const composer = new Composer({
    // Looked for by the reader below: the library compares each key with all keys before it.
    uniqueKeys: false,
    prettyErrors: false,
    stringKeys: true,
    logLevel: "silent",
    merge: false,
  });
  let first: Document | undefined;
  const take = (documents: Iterable<Document>) => {
    for (const document of documents) {
      if (first !== undefined) return reportSecondDocument(document, findings);
      first = document;
    }
    return true;
  };
  for (const lexeme of lexer.lex(text)) {
    for (const token of parser.next(lexeme)) if (!take(composer.next(token))) return first;
    if (parser.stack.length > limits.depth && collectionsIn(parser.stack) > limits.depth) {
      reportTooDeep(parser.offset, findings);
      return undefined;
    }
  }
  for (const token of parser.end()) if (!take(composer.next(token))) return first;
  take(composer.end(true, text.length));
  return first;
}

function collectionsIn(stack: readonly { type: string }[]): number {
  return stack.filter(({ type }) => type === "block-map" || type === "block-seq" || type === "flow-collection").length;
}

function reportTooDeep(offset: number, findings: Findings): void {
  findings.add({
    code: "too_deep",
    message: `Maps and lists are nested more than ${limits.depth} levels deep.`,
    span: { start: Math.max(0, offset - 1), end: offset },
    suggestion: "Make the document flatter.",
  });
}

function reportSecondDocument(document: Document, findings: Findings): false {
  const start = document.range?.[0] ?? 0;
  findings.add({
    code: "multiple_documents",
    message: "The file holds more than one document; only the first is read.",
    span: { start, end: start + 3 },
    suggestion: "Put each document into a file of its own.",
  });
  return false;
}

function reportEmpty(findings: Findings): void {
  findings.add({
    code: "empty_document",
    message: "The document is empty.",
    span: { start: 0, end: 0 },
    suggestion: "Start with spec_version, id, name, description, outcome_type, acceptance and stack.",
  });
}

/** One problem a line: what the library says after the first on a line mostly follows from it. */
function reportSyntax(document: Document, text: string, findings: Findings): number {
  let brokenFrom = Number.POSITIVE_INFINITY;
  let lastLineEnd = -1;
  for (const problem of [...document.errors].sort((a, b) => a.pos[0] - b.pos[0])) {
    if (problem.pos[0] <= lastLineEnd) continue;
    const lineEnd = text.indexOf("\n", problem.pos[0]);
    lastLineEnd = lineEnd === -1 ? text.length : lineEnd;
    brokenFrom = Math.min(brokenFrom, text.lastIndexOf("\n", problem.pos[0] - 1) + 1);
    findings.add(syntaxFinding(problem, text));
  }
  for (const problem of document.warnings) {
    findings.add({
      code: "unknown_tag",
      message: `${problem.message}.`,
      span: spanOf(problem),
      suggestion: "Remove the tag; plain YAML values are enough.",
    });
  }
  return brokenFrom;
}

function syntaxFinding(problem: SyntaxProblem, text: string): Finding {
  const { what, suggestion } = explainSyntaxProblem(problem, text);
  const message: Finding["message"] = (lineOf) => `Invalid YAML syntax at line ${lineOf(problem.pos[0])}: ${what}`;
  return { code: "yaml_syntax", message, span: spanOf(problem), suggestion };
}

function spanOf({ pos: [start, end] }: { readonly pos: readonly [number, number] }): Span {
  return { start, end: Math.max(end, start) };
}

/** Keys with which a program can be led astray that puts documents into plain objects. */
const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

const nothing: ScalarNode = { kind: "scalar", value: null, start: 0, end: 0 };
/** Stands where something could not be read: the reason is told already, and nothing more is to be said of it. */
const unreadable: ScalarNode = { ...nothing, isUnreadable: true };

/** Turns the library's tree into ours: aliases and merge keys resolved, keys unique, everything bounded. */
class Reader {
  readonly #findings: Findings;
  readonly #anchors = new Map<string, { node: Node; length: number }>();
  readonly #open = new Set<string>();
  #aliases = 0;
  /** Characters that aliases add to the document, were they written out. */
  #repeated = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  read(source: ParsedNode, path: Path | undefined): Node {
    if (isAlias(source)) return this.#alias(source.source, spanOfNode(source), path);
    const anchor = source.anchor;
    if (anchor === undefined) return this.#value(source, path);
    const repeatedBefore = this.#repeated;
    this.#open.add(anchor);
    const node = this.#value(source, path);
    this.#open.delete(anchor);
    this.#anchors.set(anchor, { node, length: node.end - node.start + (this.#repeated - repeatedBefore) });
    return node;
  }

  #value(source: Exclude<ParsedNode, { source: string; resolve: unknown }>, path: Path | undefined): Node {
    if (isMap(source)) return this.#map(source as YAMLMap.Parsed, path);
    if (isSeq(source)) return this.#list(source.items as ParsedNode[], spanOfNode(source), path);
    const span = spanOfNode(source);
    const value = isScalar(source) ? source.value : null;
    if (typeof value === "string" && value.length > limits.scalarLength) {
      this.#tooLong("text", value.length, limits.scalarLength, span, path);
      return { ...unreadable, ...span };
    }
    const written = isScalar(source) && typeof value !== "string" ? source.source : undefined;
    return { kind: "scalar", value: value as ScalarNode["value"], written, ...span };
  }

  #list(sources: readonly ParsedNode[], span: Span, path: Path | undefined): ListNode {
    if (sources.length > limits.entries) this.#tooMany("list", sources.length, span, path);
    const items: Node[] = [];
    const value: unknown[] = [];
    for (const source of sources.slice(0, limits.entries)) {
      const node = this.read(source, { parent: path, key: items.length });
      items.push(node);
      value.push(node.value);
    }
    return { kind: "list", items, value, ...span };
  }

  #map(source: YAMLMap.Parsed, path: Path | undefined): MapNode {
    const span = spanOfNode(source);
    if (source.items.length > limits.entries) this.#tooMany("map", source.items.length, span, path);
    const entries: Entry[] = [];
    const seen = new Map<string, Entry>();
    const merges: Entry[] = [];
    const value: Record<string, unknown> = {};
    for (const pair of source.items.slice(0, limits.entries)) {
      if (!isPair(pair)) continue;
      const entry = this.#entry(pair.key as ParsedNode, pair.value as ParsedNode | null, path, seen);
      if (entry === undefined) continue;
      if (entry.key === "<<") {
        merges.push(entry);
        continue;
      }
      seen.set(entry.key, entry);
      entries.push(entry);
      value[entry.key] = entry.node.value;
    }
    for (const merge of merges) this.#merge(merge, path, entries, value);
    return { kind: "map", entries, value, ...span };
  }

  #entry(
    key: ParsedNode,
    value: ParsedNode | null,
    path: Path | undefined,
    seen: ReadonlyMap<string, Entry>,
  ): Entry | undefined {
    const keySpan = spanOfNode(key);
    const name = isScalar(key) ? String(key.value ?? "") : "";
    const at = { parent: path, key: name };
    if (name.length > limits.keyLength) {
      this.#tooLong("key", name.length, limits.keyLength, keySpan, path);
      return undefined;
    }
    if (forbiddenKeys.has(name)) {
      this.#findings.add({
        code: "forbidden_key",
        message: `The key '${name}' is not allowed.`,
        span: keySpan,
        path: at,
        suggestion: "Choose another name.",
      });
      return undefined;
    }
    const first = seen.get(name);
    if (first !== undefined) {
      this.#findings.add({
        code: "duplicate_key",
        message: (lineOf) => `The key '${shown(name)}' is already set at line ${lineOf(first.keySpan.start)}.`,
        span: keySpan,
        path: at,
        suggestion: "Keep one of the two, or join their values.",
      });
      return undefined;
    }
    const node = value === null ? { ...nothing, start: keySpan.end, end: keySpan.end } : this.read(value, at);
    return { key: name, keySpan, node };
  }

  /** `<<: *base` takes over the entries of a map, or of several, that are not written here. */
  #merge(merge: Entry, path: Path | undefined, entries: Entry[], value: Record<string, unknown>): void {
    const sources = merge.node.kind === "list" ? merge.node.items : [merge.node];
    for (const source of sources) {
      if (source.kind !== "map") {
        this.#findings.add({
          code: "bad_merge",
          message: "The value of the merge key '<<' must be a map, or a list of maps.",
          span: merge.keySpan,
          path: { parent: path, key: "<<" },
          suggestion: "Write '<<: *anchor', where the anchor stands before a map.",
        });
        continue;
      }
      for (const entry of source.entries) {
        if (Object.hasOwn(value, entry.key)) continue;
        entries.push(entry);
        value[entry.key] = entry.node.value;
      }
    }
  }

  #alias(name: string, span: Span, path: Path | undefined): Node {
    this.#aliases += 1;
    const target = this.#anchors.get(name);
    if (target === undefined) return this.#unresolvedAlias(name, span, path);
    this.#repeated += target.length;
    const tooMany = this.#aliases > limits.aliases;
    if (tooMany || this.#repeated > limits.documentBytes) {
      // Once is enough; what follows is left out.
      if (
        this.#aliases === limits.aliases + 1 ||
        (!tooMany && this.#repeated - target.length <= limits.documentBytes)
      ) {
        this.#tooManyAliases(tooMany, span, path);
      }
      return { ...unreadable, ...span };
    }
    return { ...target.node, ...span };
  }

  #tooManyAliases(tooMany: boolean, span: Span, path: Path | undefined): void {
    this.#findings.add({
      code: "too_many_aliases",
      message: tooMany
        ? `The document has more than ${limits.aliases} YAML aliases.`
        : "Written out, the YAML aliases make the document larger than 1 MiB.",
      span,
      path,
      suggestion: "Write out what differs, and leave out what does not.",
    });
  }

  #unresolvedAlias(name: string, span: Span, path: Path | undefined): Node {
    const isCycle = this.#open.has(name);
    this.#findings.add({
      code: isCycle ? "alias_cycle" : "unknown_alias",
      message: isCycle
        ? `The alias '*${shown(name)}' stands inside of what it stands for.`
        : `The alias '*${shown(name)}' has no anchor '&${shown(name)}' before it.`,
      span,
      path,
      suggestion: isCycle
        ? "Move the alias out of the anchored value."
        : "Define the anchor first, or put the value in quotes.",
    });
    return { ...unreadable, ...span };
  }

  #tooMany(what: "list" | "map", count: number, span: Span, path: Path | undefined): void {
    this.#findings.add({
      code: "too_many_entries",
      message: `The ${what} has ${count} entries; at most ${limits.entries} are read.`,
      span: { start: span.start, end: span.start + 1 },
      path,
      suggestion: "Move data out of the document, into files of the project.",
    });
  }

  #tooLong(what: "key" | "text", length: number, most: number, span: Span, path: Path | undefined): void {
    this.#findings.add({
      code: "scalar_too_long",
      message: `The ${what} has ${length} characters; at most ${most} are read.`,
      span: { start: span.start, end: span.start + 1 },
      path,
      suggestion: what === "key" ? "Choose a shorter name." : "Move it into a file of the project.",
    });
  }
}

function spanOfNode(node: ParsedNode): Span {
  const [start, end] = node.range;
  return { start, end };
}

function shown(name: string): string {
  return name.length > 60 ? `${name.slice(0, 59)}…` : name;
}
