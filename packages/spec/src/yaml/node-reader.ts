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
import { forbiddenCharacter } from "./decode-text.ts";
import { type Entry, type ListNode, type MapNode, type Node, type ScalarNode, startOf } from "./node.ts";
import {
  badMerge,
  duplicateKey,
  forbiddenInString,
  forbiddenKey,
  tooDeep,
  tooLong,
  tooManyAliases,
  tooManyEntries,
  unresolvedAlias,
} from "./node-findings.ts";
import { shorten } from "./shorten.ts";

/** Keys that would change the prototype of plain objects. */
const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

const emptyScalar: ScalarNode = { kind: "scalar", value: null, start: 0, end: 0 };
/** Stands for a value that could not be read. The reason is already reported; checks skip it. */
const unreadable: ScalarNode = { ...emptyScalar, isUnreadable: true };

/** The target of an anchor. */
interface Anchored {
  readonly node: Node;
  /** Characters, with its aliases expanded. */
  readonly length: number;
  /** Levels of nesting. */
  readonly height: number;
}

/** Converts the library's tree into ours: aliases and merge keys resolved, keys unique, sizes limited. */
export class NodeReader {
  readonly #text: string;
  readonly #findings: Findings;
  readonly #anchors = new Map<string, Anchored>();
  readonly #open = new Set<string>();
  /** Current nesting depth, and the maximum since the current anchor began. */
  #depth = 0;
  #deepest = 0;
  #aliases = 0;
  /** Characters that expanding the aliases would add to the document. */
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
      this.#findings.add(tooLong("string", value.length, limits.scalarLength, span, path));
      return { ...unreadable, ...span };
    }
    if (typeof value === "string" && this.#isForbidden(source as Scalar, value, path))
      return { ...unreadable, ...span };
    const written = isScalar(source) && typeof value !== "string" ? writtenAs(source) : undefined;
    return { kind: "scalar", value: value as ScalarNode["value"], written, ...span };
  }

  /** Whether escapes put a forbidden character into a string; reports it if so. */
  #isForbidden(source: Scalar, text: string, path: Path | undefined): boolean {
    const forbidden = source.type === "QUOTE_DOUBLE" ? forbiddenCharacter.exec(text)?.[0] : undefined;
    if (forbidden === undefined) return false;
    this.#findings.add(forbiddenInString(forbidden, spanOfNode(source as Scalar.Parsed), path));
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
    if (sources.length > limits.entries) this.#findings.add(tooManyEntries("list", sources.length, span, path));
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
    if (source.items.length > limits.entries)
      this.#findings.add(tooManyEntries("map", source.items.length, span, path));
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
      this.#findings.add(tooLong("key", name.length, limits.keyLength, keySpan, path));
      return undefined;
    }
    if (isScalar(key) && this.#isForbidden(key, name, path)) return undefined;
    if (forbiddenKeys.has(name)) {
      this.#findings.add(forbiddenKey(name, keySpan, at));
      return undefined;
    }
    const first = seen.get(name);
    if (first !== undefined) {
      this.#findings.add(duplicateKey(name, first.keySpan, keySpan, at));
      return undefined;
    }
    const node = value === null ? { ...emptyScalar, ...keySpan } : this.read(value, at);
    return { key: name, keySpan, node: isAbsent(node) ? { ...node, ...keySpan } : node };
  }

  /** `<<: *base` adds the entries of one or more maps that are not set here. */
  #merge(merge: Entry, path: Path | undefined, entries: Entry[], value: Record<string, unknown>): void {
    const sources = merge.node.kind === "list" ? merge.node.items : [merge.node];
    for (const source of sources) {
      if (source.kind !== "map") {
        if (source.kind === "scalar" && source.isUnreadable === true) continue;
        this.#findings.add(badMerge(startOf(source), { parent: path, key: "<<" }));
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
    if (target === undefined) {
      this.#findings.add(unresolvedAlias(name, this.#open.has(name), span, path));
      return { ...unreadable, ...span };
    }
    this.#repeated += target.length;
    const tooMany = this.#aliases > limits.aliases;
    if (tooMany || this.#repeated > limits.documentBytes) {
      // Report it once; further aliases are skipped.
      if (
        this.#aliases === limits.aliases + 1 ||
        (!tooMany && this.#repeated - target.length <= limits.documentBytes)
      ) {
        this.#findings.add(tooManyAliases(tooMany, span, path));
      }
      return { ...unreadable, ...span };
    }
    if (this.#isTooDeep(target.height, span, path)) return { ...unreadable, ...span };
    return { ...copyOf(target.node), ...span };
  }

  /** Whether a value of this height would exceed the depth limit here; reports it if so. */
  #isTooDeep(height: number, span: Span, path: Path | undefined): boolean {
    this.#deepest = Math.max(this.#deepest, this.#depth + height);
    if (this.#depth + height <= limits.depth) return false;
    this.#findings.add(tooDeep({ start: span.start, end: span.start + 1 }, path));
    return true;
  }
}

/** Each alias gets a copy, because checks write to the values. */
function copyOf(node: Node): Node {
  if (node.kind === "scalar") return node;
  if (node.kind === "list") {
    const items = node.items.map(copyOf);
    return { ...node, items, value: items.map(({ value }) => value) };
  }
  const entries = node.entries.map((entry) => ({ ...entry, node: copyOf(entry.node) }));
  return { ...node, entries, value: Object.fromEntries(entries.map((entry) => [entry.key, entry.node.value])) };
}

/** An empty value has no span of its own; diagnostics point at its key or dash. */
function isAbsent(node: Node): boolean {
  return node.start === node.end;
}

/** `#general` in place of a value is a comment in YAML, but a channel to its author. */
function writtenAs({ source, comment }: Scalar): string | undefined {
  return source === "" && comment && /^\S/.test(comment) ? `#${comment.split("\n")[0]}` : source && shorten(source);
}

function spanOfNode(node: ParsedNode): Span {
  const [start, end] = node.range;
  return { start, end };
}
