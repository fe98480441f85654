import { Findings } from "./diagnostics/diagnostic.ts";
import { LineMap } from "./diagnostics/line-map.ts";
import { escapeKey } from "./resolve-spec.ts";
import { decodeText } from "./yaml/decode-text.ts";
import { type Entry, type Node, startOf } from "./yaml/node.ts";
import { readYaml } from "./yaml/read-yaml.ts";

/**
 * The lines of a document's text, from 1, on which the values at these JSON Pointers are written. A pointer into the resolved
 * document is found in its environment's block first; what a default fills in has no line.
 */
export function findLineNumbers(
  source: string | Uint8Array,
  pointers: readonly string[],
  environment?: string | null,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const text = decodeText(source, new Findings());
  const root = text === undefined ? undefined : readYaml(text, new Findings()).root;
  if (text === undefined || root === undefined) return found;
  const lines = new LineMap(text);
  const entriesOf = indexMaps();
  const block = environment == null ? [] : [`/environments/${escapeKey(environment)}`];
  for (const pointer of pointers) {
    const offset = [...block, ""]
      .map((before) => offsetOf(root, before + pointer, entriesOf))
      .find((at) => at !== undefined);
    if (offset !== undefined) found.set(pointer, lines.positionAt(offset).line);
  }
  return found;
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

function offsetOf(root: Node, pointer: string, entriesOf: EntriesOf): number | undefined {
  let node: Node | undefined = root;
  let offset = startOf(root).start;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (node?.kind === "map") {
      const entry: Entry | undefined = entriesOf(node).get(key);
      if (entry === undefined) return undefined;
      offset = entry.keySpan.start;
      node = entry.node;
    } else if (node?.kind === "list") {
      node = node.items[Number(key)];
      if (node === undefined) return undefined;
      offset = startOf(node).start;
    } else return undefined;
  }
  return offset;
}
