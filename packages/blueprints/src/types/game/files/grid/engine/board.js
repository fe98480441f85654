/** Steps by name, as columns to the right and rows down. */
export const directions = {
  up: { column: 0, row: -1 },
  down: { column: 0, row: 1 },
  left: { column: -1, row: 0 },
  right: { column: 1, row: 0 },
};

export const opposite = { up: "down", down: "up", left: "right", right: "left" };

export function isSameTile(a, b) {
  return a.column === b.column && a.row === b.row;
}

/** A tile as a number, for sets and maps. */
export function tileKey({ columns }, { column, row }) {
  return row * columns + column;
}

export function allTiles({ columns, rows }) {
  return Array.from({ length: columns * rows }, (_, key) => ({ column: key % columns, row: Math.floor(key / columns) }));
}

/** The tile beside a tile; nothing where the board ends. */
export function neighbour({ columns, rows, edges }, tile, direction) {
  const step = directions[direction];
  const column = tile.column + step.column;
  const row = tile.row + step.row;
  if (edges === "wrap") return { column: (column + columns) % columns, row: (row + rows) % rows };
  return column >= 0 && column < columns && row >= 0 && row < rows ? { column, row } : undefined;
}

/** How many steps lie between two tiles when nothing is in the way. */
export function distance({ columns, rows, edges }, a, b) {
  const across = Math.abs(a.column - b.column);
  const down = Math.abs(a.row - b.row);
  if (edges !== "wrap") return across + down;
  return Math.min(across, columns - across) + Math.min(down, rows - down);
}

/** The keys of all tiles that can be reached from a tile without entering a blocked one. */
export function reachable(board, from, blocked) {
  const seen = new Set([tileKey(board, from)]);
  const open = [from];
  for (let tile = open.pop(); tile !== undefined; tile = open.pop()) {
    for (const direction of Object.keys(directions)) {
      const next = neighbour(board, tile, direction);
      if (next === undefined) continue;
      const key = tileKey(board, next);
      if (seen.has(key) || blocked.has(key)) continue;
      seen.add(key);
      open.push(next);
    }
  }
  return seen;
}
