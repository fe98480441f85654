import type { Board, Genre, Refuse, Stage, Tile } from "./model.ts";

import type { Gameplay } from "./read-stage.ts";

/** Where the player or the snake starts: where the document says, else near the middle, off the walls of all levels. */
export function startOf(
  genre: Genre,
  given: Gameplay,
  { columns, rows }: Board,
  walls: readonly Tile[],
  refuse: Refuse,
): Tile {
  const key = genre === "snake" ? "snake" : "player";
  const start = genre === "breakout" ? undefined : given[key]?.start;
  const middle = { column: Math.floor(columns / 2), row: Math.floor(rows / 2) };
  if (start === undefined) return nearestFree(middle, { columns, rows }, walls);
  const { column = middle.column, row = middle.row } = start;
  const inside = { column: Math.min(column, columns - 1), row: Math.min(row, rows - 1) };
  if (!isSame(inside, { column, row }))
    refuse(`${key}/start`, "This tile is not on the board: the nearest one is taken.");
  if (walls.some((wall) => isSame(wall, inside))) refuse(`${key}/start`, "A drawing has a wall there: it is left out.");
  return inside;
}

/** The stage without walls where the game starts. */
export function freeWalls(stage: Stage, start: Tile): Stage {
  return { ...stage, walls: stage.walls.filter((wall) => !isSame(wall, start)) };
}

/** The tile beside it, on its right, is free as well, so that a snake can set off. */
function nearestFree(middle: Tile, { columns, rows }: Pick<Board, "columns" | "rows">, walls: readonly Tile[]): Tile {
  const taken = new Set(walls.map(({ column, row }) => row * columns + column));
  const distance = ({ column, row }: Tile) => Math.abs(column - middle.column) + Math.abs(row - middle.row);
  const tiles = Array.from({ length: columns * rows }, (_, key) => ({
    column: key % columns,
    row: Math.floor(key / columns),
  }));
  const free = tiles.filter(({ column, row }) => {
    const key = row * columns + column;
    return column < columns - 1 && !taken.has(key) && !taken.has(key + 1);
  });
  return free.toSorted((a, b) => distance(a) - distance(b))[0] ?? middle;
}

function isSame(a: Tile, b: Tile): boolean {
  return a.column === b.column && a.row === b.row;
}
