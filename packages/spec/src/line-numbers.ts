import { Findings, type Span } from "./diagnostics/diagnostic.ts";
import { LineMap } from "./diagnostics/line-map.ts";
import { escapeKey } from "./resolve-spec.ts";
import { decodeText } from "./yaml/decode-text.ts";
import { type Entry, type Node, startOf } from "./yaml/node.ts";
import { readYaml } from "./yaml/read-yaml.ts";

/** What a document's text says at a JSON Pointer. */
export interface WrittenLines {
  /** The first line, from 1. */
  readonly line: number;
  /** The key and its value as they are written, without the indentation that all lines share; cut if it is long. */
  readonly text: string;
}

/** The lines of a document's text, from 1, on which the values at these JSON Pointers are written. */
export function findLineNumbers(
  source: string | Uint8Array,
  pointers: readonly string[],
  environment?: string | null,
): ReadonlyMap<string, number> {
  return new Map([...findWrittenLines(source, pointers, environment)].map(([pointer, { line }]) => [pointer, line]));
}

/**
 * The text at these JSON Pointers. A pointer into the resolved document is found in its environment's block first; what a
 * default fills in has none.
 */
export function findWrittenLines(
  source: string | Uint8Array,
  pointers: readonly string[],
  environment?: string | null,
): ReadonlyMap<string, WrittenLines> {
  const found = new Map<string, WrittenLines>();
  const text = decodeText(source, new Findings());
  const root = text === undefined ? undefined : readYaml(text, new Findings()).root;
  if (text === undefined || root === undefined) return found;
  const lines = new LineMap(text);
  const entriesOf = indexMaps();
  const block = environment == null ? [] : [`/environments/${escapeKey(environment)}`];
  for (const pointer of pointers) {
    const span = [...block, ""]
      .map((before) => spanOf(root, before + pointer, entriesOf))
      .find((at) => at !== undefined);
    if (span !== undefined) found.set(pointer, writtenAt(lines, span));
  }
  return found;
}

const maxTextLines = 60;
const maxTextLength = 2_000;

function writtenAt(lines: LineMap, { start, end }: Span): WrittenLines {
  const { line } = lines.positionAt(start);
  // What an alias stands for is written elsewhere, mostly before it.
  const last = Math.min(Math.max(line, lines.positionAt(end - 1).line), line + maxTextLines - 1);
  const written = Array.from({ length: last - line + 1 }, (_, at) => lines.lineText(line + at));
  const indents = written.filter((text) => text.trim() !== "").map((text) => text.search(/\S/));
  const indent = Math.min(...indents);
  const text = written.map((one) => one.slice(indent)).join("\n");
  return { line, text: text.slice(0, maxTextLength).trimEnd() };
}

type MapNode = Extract<Node, { kind: "map" }>;
type EntriesOf = (map: MapNode) => ReadonlyMap<string, Entry>;

/** The entries of a map by their keys, looked up once a map: a document may have ten thousand lines in one. */
function indexMaps(): EntriesOf {
  const known = new Map<MapNode, ReadonlyMap<string, Entry>>();
  return (map) => {
    // Of two with the same key the first counts.
    const entries = known.get(map) ?? new Map(map.entries.toReversed().map((entry) => [entry.key, entry]));
    known.set(map, entries);
    return entries;
  };
}

function spanOf(root: Node, pointer: string, entriesOf: EntriesOf): Span | undefined {
  let node: Node | undefined = root;
  let start = startOf(root).start;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (node?.kind === "map") {
      const entry: Entry | undefined = entriesOf(node).get(key);
      if (entry === undefined) return undefined;
      start = entry.keySpan.start;
      node = entry.node;
    } else if (node?.kind === "list") {
      node = node.items[Number(key)];
      if (node === undefined) return undefined;
      start = startOf(node).start;
    } else return undefined;
  }
  return { start, end: node.end };
}
