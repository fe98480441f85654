import { parseTolerantly } from "../../scans/code/parse-script.ts";

/** What a parser knows of a source: its look may be made to deceive. */
interface ParsedSource {
  readonly withoutComments: string;
  readonly hints: readonly Hint[];
  /** Nothing in it runs: it need not be loaded by any test. */
  readonly isOnlyTypes: boolean;
}

/** A comment that may ask coverage to look away. */
export interface Hint {
  readonly text: string;
  /** Where it ends. */
  readonly line: number;
  /** Of what follows it. */
  readonly lastLine: number;
}

/** Reads JavaScript or TypeScript; undefined for what no parser understands. */
export function parseSource(path: string, text: string): ParsedSource | undefined {
  try {
    const file = parseTolerantly(text, path, false);
    const comments = (file.comments ?? []) as unknown as readonly Comment[];
    const program = file.program as unknown as Node & { readonly body: readonly Node[] };
    return {
      withoutComments: withoutComments(text, comments),
      hints: hintsIn(comments, program),
      isOnlyTypes: /\.[cm]?tsx?$/.test(path) && program.body.every(isType),
    };
  } catch {
    return undefined;
  }
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly loc: { readonly end: { readonly line: number } };
  readonly declare?: boolean;
  readonly declaration?: Node | null;
  readonly importKind?: string;
  readonly specifiers?: readonly Node[];
}

type Comment = Pick<Node, "start" | "end" | "loc"> & { readonly value: string };

function withoutComments(text: string, comments: readonly Comment[]): string {
  const parts: string[] = [];
  let last = 0;
  for (const { start, end } of comments) {
    parts.push(text.slice(last, start), text.slice(start, end).replace(/[^\n]+/g, ""));
    last = end;
  }
  return [...parts, text.slice(last)].join("");
}

function hintsIn(comments: readonly Comment[], program: Node): readonly Hint[] {
  const found = comments.filter(({ value }) => /istanbul|[cv]8|node:coverage/.test(value));
  if (found.length === 0) return [];
  const nodes = nodesIn(program).sort((a, b) => a.start - b.start || b.end - a.end);
  let at = 0;
  return found.map(({ value, end, loc }) => {
    while (at < nodes.length && nodes[at]!.start < end) at += 1;
    return { text: value, line: loc.end.line, lastLine: nodes[at]?.loc.end.line ?? loc.end.line };
  });
}

/** Without recursion: a text may nest as deep as it likes. */
function nodesIn(root: Node): Node[] {
  const nodes: Node[] = [];
  const left: unknown[] = [root];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one !== "object" || one === null) continue;
    if (!Array.isArray(one) && "type" in one && "start" in one) nodes.push(one as Node);
    for (const value of Object.values(one)) if (typeof value === "object" && value !== null) left.push(value);
  }
  return nodes;
}

/** Statements that are gone when the program runs, and those that only name what other files have. */
function isType(statement: Node): boolean {
  if (statement.declare === true) return true;
  switch (statement.type) {
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSDeclareFunction":
    case "ExportAllDeclaration":
    case "EmptyStatement":
      return true;
    case "ImportDeclaration":
      return statement.importKind === "type" || statement.specifiers!.length > 0;
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
      return statement.declaration == null || isType(statement.declaration);
    default:
      return false;
  }
}
