/** A path as segments: words and ids. */
export interface PathShape {
  readonly segments: readonly Segment[];
  /** The path with `{}` for each id: paths with the same key are one route. */
  readonly key: string;
}

export type Segment = { readonly word: string } | { readonly parameter: string; readonly literal?: string };

const braced = /^\{([^{}]+)\}$/;
const afterColon = /^:([A-Za-z_]\w*)$/;
const literalId = /^(\d+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{24})$/i;

export function shapeOf(path: string): PathShape {
  const words = path
    .replace(/[?#].*$/s, "")
    .split("/")
    .filter(Boolean);
  const segments = words.map((word): Segment => {
    const named = braced.exec(word)?.[1] ?? afterColon.exec(word)?.[1];
    if (named !== undefined) return { parameter: named };
    return literalId.test(word) ? { parameter: "id", literal: word } : { word: decoded(word) };
  });
  return shapeFrom(segments);
}

function shapeFrom(segments: readonly Segment[]): PathShape {
  return { segments, key: `/${segments.map((segment) => ("word" in segment ? segment.word : "{}")).join("/")}` };
}

export function isParameter(segment: Segment | undefined): boolean {
  return segment !== undefined && "parameter" in segment;
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
