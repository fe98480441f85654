import type { Path, Span } from "../diagnostics/diagnostic.ts";

type ScalarValue = string | number | boolean | null;

/** A value with its position in the text. Aliases and merge keys are resolved. */
export type Node = ScalarNode | ListNode | MapNode;

export interface ScalarNode extends Span {
  readonly kind: "scalar";
  readonly value: ScalarValue;
  /** How a number or word was written: `4.10` is the number 4.1. For an empty value, a comment that may be meant. */
  readonly written?: string | undefined;
  readonly isUnreadable?: true;
}

export interface ListNode extends Span {
  readonly kind: "list";
  readonly items: readonly Node[];
  readonly value: unknown[];
}

export interface MapNode extends Span {
  readonly kind: "map";
  readonly entries: readonly Entry[];
  readonly value: Record<string, unknown>;
}

export interface Entry {
  readonly key: string;
  readonly keySpan: Span;
  readonly node: Node;
}

/** The entry of a map, or the item of a list, at a key. */
function child(node: Node, key: string | number): { node: Node; keySpan: Span } | undefined {
  if (node.kind === "map") return node.entries.find((entry) => entry.key === String(key));
  const item = node.kind === "list" ? node.items[Number(key)] : undefined;
  return item && { node: item, keySpan: startOf(item) };
}

/** The span of the value at a path, or of the nearest existing value around it. */
export function spanAt(root: Node, path: Path | undefined, what: "key" | "value" = "value"): Span {
  const keys: (string | number)[] = [];
  for (let step = path; step !== undefined; step = step.parent) keys.unshift(step.key);
  let node = root;
  let span: Span = startOf(root);
  for (const key of keys) {
    const found = child(node, key);
    if (found === undefined) return span;
    span = what === "key" || found.node.kind !== "scalar" ? found.keySpan : found.node;
    node = found.node;
  }
  return span;
}

/** The span for a diagnostic: of a map or list only its start, not all of its lines. */
export function startOf(node: Node): Span {
  if (node.kind === "map") return node.entries[0]?.keySpan ?? node;
  if (node.kind === "list") return { start: node.start, end: Math.min(node.end, node.start + 1) };
  return node;
}
