import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Findings, Path, Span } from "../diagnostics/diagnostic.ts";
import { limits } from "../limits.ts";
import { tooDeep } from "./compose-document.ts";
import { unfitCharacter } from "./decode-text.ts";
import { type Entry, type ListNode, type MapNode, type Node, type ScalarNode, startOf } from "./node.ts";
import { shown } from "./shown.ts";

/** Keys with which a program can be led astray that puts documents into plain objects. */
const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

const nothing: ScalarNode = { kind: "scalar", value: null, start: 0, end: 0 };
/** Stands where something could not be read: the reason is told already, and nothing more is to be said of it. */
const unreadable: ScalarNode = { ...nothing, isUnreadable: true };

/** What an anchor stands for. */
interface Anchored {
  readonly node: Node;
  /** Characters, aliases in it written out. */
  readonly length: number;
  /** Levels of maps and lists. */
  readonly height: number;
}

/** Turns the library's tree into ours: aliases and merge keys resolved, keys unique, everything bounded. */
export class NodeReader {
  readonly #text: string;
  readonly #findings: Findings;
  readonly #anchors = new Map<string, Anchored>();
  readonly #open = new Set<string>();
  /** Maps and lists around what is being read, and the most there were since that was last asked. */
  #depth = 0;
  #deepest = 0;
  #aliases = 0;
  /** Characters that aliases add to the document, were they written out. */
  #repeated = 0;

  constructor(text: string, findings: Findings) {
    this.#text = text;
    this.#findings = findings;
  }

  read(source: ParsedNode, path: Path | undefined): Node {
    if (isAlias(source)) return this.#alias(source.source, spanOfNode(source), path);
    const anchor = source.anchor;
    if (anchor === undefined) return this.#value(source, path);
    const repeatedBefore = this.#repeated;
    const deepestBefore = this.#deepest;
    this.#deepest = this.#depth;
    this.#open.add(anchor);
    const node = this.#value(source, path);
    this.#open.delete(anchor);
    const length = node.end - node.start + (this.#repeated - repeatedBefore);
    this.#anchors.set(anchor, { node, length, height: this.#deepest - this.#depth });
    this.#deepest = Math.max(this.#deepest, deepestBefore);
    return node;
  }

  #value(source: Exclude<ParsedNode, { source: string; resolve: unknown }>, path: Path | undefined): Node {
    if (isMap(source) || isSeq(source)) return this.#collection(source as YAMLMap.Parsed | YAMLSeq.Parsed, path);
    const span = spanOfNode(source);
    const value = isScalar(source) ? source.value : null;
    if (typeof value === "string" && value.length > limits.scalarLength) {
      this.#tooLong("string", value.length, limits.scalarLength, span, path);
      return { ...unreadable, ...span };
    }
    if (typeof value === "string" && this.#isUnfit(source as Scalar, value, path)) return { ...unreadable, ...span };
    const written = isScalar(source) && typeof value !== "string" ? writtenAs(source) : undefined;
    return { kind: "scalar", value: value as ScalarNode["value"], written, ...span };
  }

  /** Whether escapes make a text of it that nothing can be done with; which is said then. */
  #isUnfit(source: Scalar, text: string, path: Path | undefined): boolean {
    const unfit = source.type === "QUOTE_DOUBLE" ? unfitCharacter.exec(text)?.[0] : undefined;
    if (unfit === undefined) return false;
    this.#findings.add({
      code: "control_character",
      message: `The character U+${unfit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")} is not allowed in a string.`,
      span: spanOfNode(source as Scalar.Parsed),
      path,
      suggestion: "Remove the escape.",
    });
    return true;
  }

  #collection(source: YAMLMap.Parsed | YAMLSeq.Parsed, path: Path | undefined): Node {
    const span = spanOfNode(source);
    if (this.#isTooDeep(1, span, path)) return { ...unreadable, ...span };
    this.#depth += 1;
    const node = isMap(source) ? this.#map(source, span, path) : this.#list(source, span, path);
    this.#depth -= 1;
    return node;
  }

  #list(source: YAMLSeq.Parsed, span: Span, path: Path | undefined): ListNode {
    const sources = source.items as ParsedNode[];
    if (sources.length > limits.entries) this.#tooMany("list", sources.length, span, path);
    const items: Node[] = [];
    const value: unknown[] = [];
    for (const item of sources.slice(0, limits.entries)) {
      const node = this.read(item, { parent: path, key: items.length });
      items.push(isAbsent(node) && source.flow !== true ? { ...node, ...this.#dashBefore(node) } : node);
      value.push(node.value);
    }
    return { kind: "list", items, value, ...span };
  }

  #dashBefore({ start }: Span): Span {
    const dash = this.#text.lastIndexOf("-", start - 1);
    return { start: dash, end: dash + 1 };
  }

  #map(source: YAMLMap.Parsed, span: Span, path: Path | undefined): MapNode {
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
    if (isScalar(key) && this.#isUnfit(key, name, path)) return undefined;
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
        suggestion: "Keep one of the two, or combine their values.",
      });
      return undefined;
    }
    const node = value === null ? { ...nothing, ...keySpan } : this.read(value, at);
    return { key: name, keySpan, node: isAbsent(node) ? { ...node, ...keySpan } : node };
  }

  /** `<<: *base` takes over the entries of a map, or of several, that are not written here. */
  #merge(merge: Entry, path: Path | undefined, entries: Entry[], value: Record<string, unknown>): void {
    const sources = merge.node.kind === "list" ? merge.node.items : [merge.node];
    for (const source of sources) {
      if (source.kind !== "map") {
        if (source.kind === "scalar" && source.isUnreadable === true) continue;
        this.#findings.add({
          code: "bad_merge",
          message: "The value of the merge key '<<' must be a map, or a list of maps.",
          span: startOf(source),
          path: { parent: path, key: "<<" },
          suggestion: "Write '<<: *anchor', where the anchor marks a map.",
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
    if (this.#isTooDeep(target.height, span, path)) return { ...unreadable, ...span };
    return { ...copyOf(target.node), ...span };
  }

  /** Whether something of a height would go too deep here; which is said then. */
  #isTooDeep(height: number, span: Span, path: Path | undefined): boolean {
    this.#deepest = Math.max(this.#deepest, this.#depth + height);
    if (this.#depth + height <= limits.depth) return false;
    this.#findings.add(tooDeep({ start: span.start, end: span.start + 1 }, path));
    return true;
  }

  #tooManyAliases(tooMany: boolean, span: Span, path: Path | undefined): void {
    this.#findings.add({
      code: "too_many_aliases",
      message: tooMany
        ? `The document has more than ${limits.aliases} YAML aliases.`
        : "Expanding the YAML aliases makes the document larger than 1 MiB.",
      span,
      path,
      suggestion: "Use fewer aliases.",
    });
  }

  #unresolvedAlias(name: string, span: Span, path: Path | undefined): Node {
    const isCycle = this.#open.has(name);
    this.#findings.add({
      code: isCycle ? "alias_cycle" : "unknown_alias",
      message: isCycle
        ? `The alias '*${shown(name)}' is inside its own anchor.`
        : `The alias '*${shown(name)}' has no anchor '&${shown(name)}' before it.`,
      span,
      path,
      suggestion: isCycle
        ? "Move the alias out of the anchored value."
        : "Define the anchor first, or quote the value.",
    });
    return { ...unreadable, ...span };
  }

  #tooMany(what: "list" | "map", count: number, span: Span, path: Path | undefined): void {
    this.#findings.add({
      code: "too_many_entries",
      message: `The ${what} has ${count} entries. At most ${limits.entries} are allowed.`,
      span: { start: span.start, end: span.start + 1 },
      path,
      suggestion: "Move data from the document into project files.",
    });
  }

  #tooLong(what: "key" | "string", length: number, max: number, span: Span, path: Path | undefined): void {
    this.#findings.add({
      code: "scalar_too_long",
      message: `The ${what} has ${length} characters. At most ${max} are allowed.`,
      span: { start: span.start, end: span.start + 1 },
      path,
      suggestion: what === "key" ? "Choose a shorter name." : "Move it into a project file.",
    });
  }
}

/** Each alias gets a copy: checks write what they find into the values. */
function copyOf(node: Node): Node {
  if (node.kind === "scalar") return node;
  if (node.kind === "list") {
    const items = node.items.map(copyOf);
    return { ...node, items, value: items.map(({ value }) => value) };
  }
  const entries = node.entries.map((entry) => ({ ...entry, node: copyOf(entry.node) }));
  return { ...node, entries, value: Object.fromEntries(entries.map((entry) => [entry.key, entry.node.value])) };
}

/** A value that is not there is pointed at by its key, or its dash. */
function isAbsent(node: Node): boolean {
  return node.start === node.end;
}

/** `#general` where a value should be is a comment to YAML, and a channel to its author. */
function writtenAs({ source, comment }: Scalar): string | undefined {
  return source === "" && comment && /^\S/.test(comment) ? `#${comment.split("\n")[0]}` : source && shown(source);
}

function spanOfNode(node: ParsedNode): Span {
  const [start, end] = node.range;
  return { start, end };
}
