import type { Genre, Refuse, Tile } from "./model.ts";

import type { Gameplay } from "./read-stage.ts";

/** A drawing of a board: its walls, and where other characters stand. */
export interface Drawing {
  readonly columns: number;
  readonly rows: number;
  readonly walls: readonly Tile[];
  readonly marks: readonly (Tile & { readonly mark: string })[];
}

/** The drawings of the game and of its levels. */
export interface Drawings {
  /** By where it stands: `""` for the game, `"levels/0/"` for a level. */
  readonly at: ReadonlyMap<string, Drawing>;
  /** What the largest of them measures; undefined without any. */
  readonly size: { readonly columns: number; readonly rows: number } | undefined;
  readonly walls: readonly Tile[];
}

/** Reads every `layout`. */
export function readDrawings(given: Gameplay, genre: Genre, refuse: Refuse): Drawings {
  const all = [
    ["", given.layout] as const,
    ...(given.levels ?? []).map((level, index) => [`levels/${index}/`, level.layout] as const),
  ];
  const at = new Map<string, Drawing>();
  for (const [place, text] of all)
    if (text !== undefined) at.set(place, readDrawing(text, `${place}layout`, genre, refuse));
  const drawings = [...at.values()];
  const size = {
    columns: Math.max(...drawings.map(({ columns }) => columns)),
    rows: Math.max(...drawings.map(({ rows }) => rows)),
  };
  return { at, size: drawings.length === 0 ? undefined : size, walls: drawings.flatMap(({ walls }) => walls) };
}

const maxTiles = 60;

function readDrawing(text: string, path: string, genre: Genre, refuse: Refuse): Drawing {
  const lines = text.trimEnd().split(/\r?\n/);
  const cells = lines
    .slice(0, maxTiles)
    .flatMap((line, row) => [...line.trimEnd()].slice(0, maxTiles).map((mark, column) => ({ column, row, mark })));
  const isTooLarge = lines.length > maxTiles || lines.some((line) => [...line.trimEnd()].length > maxTiles);
  if (isTooLarge) refuse(path, `A board has at most ${maxTiles} columns and ${maxTiles} rows: the rest is left out.`);
  const marks = cells.filter(({ mark }) => !"#. ".includes(mark));
  if (genre !== "breakout" && marks.length > 0)
    refuse(path, `'${marks[0]!.mark}' means nothing here: '#' is a wall, and '.' is free.`);
  return {
    columns: Math.max(0, ...cells.map(({ column }) => column + 1)),
    rows: Math.min(lines.length, maxTiles),
    walls: cells.filter(({ mark }) => mark === "#").map(({ column, row }) => ({ column, row })),
    marks,
  };
}
