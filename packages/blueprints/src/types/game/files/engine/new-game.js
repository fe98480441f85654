import { allTiles, distance, isSameTile, reachable, tileKey } from "./board.js";
import { nextRandom, shuffle } from "./random.js";

/** The state in which a game with this seed begins. */
export function newGame(rules, seed) {
  const start = rules.player.start;
  const obstacles = placeObstacles(rules, seed | 0);
  const blocked = new Set(obstacles.placed.map((obstacle) => tileKey(rules.board, obstacle)));
  const collectibles = placeCollectibles(rules, blocked, obstacles.random);
  const hazards = placeHazards(rules, blocked, collectibles.random);
  return {
    seed,
    random: hazards.random,
    tick: 0,
    status: "playing",
    player: { ...start, facing: rules.player.moves[0], lives: rules.player.lives, safeTicks: 0 },
    obstacles: obstacles.placed,
    blocked,
    collectibles: collectibles.placed,
    hazards: hazards.placed,
    collected: {},
    points: 0,
  };
}

function placeObstacles({ board, player, obstacles }, random) {
  const { list: tiles, state } = shuffle(allTiles(board), random);
  const placed = [];
  const blocked = new Set();
  for (const { name, count, mayCloseOff } of obstacles) {
    const wanted = placed.length + count;
    for (const tile of tiles) {
      if (placed.length === wanted) break;
      const key = tileKey(board, tile);
      if (blocked.has(key) || isSameTile(tile, player.start)) continue;
      blocked.add(key);
      if (mayCloseOff || isWhole(board, player.start, blocked)) placed.push({ ...tile, name });
      else blocked.delete(key);
    }
  }
  return { placed, random: state };
}

/** Whether every tile that is not blocked can be reached. */
function isWhole(board, start, blocked) {
  return reachable(board, start, blocked).size === board.columns * board.rows - blocked.size;
}

function placeCollectibles({ board, player, collectibles }, blocked, random) {
  const within = reachable(board, player.start, blocked);
  const { list: tiles, state } = shuffle(
    allTiles(board).filter((tile) => within.has(tileKey(board, tile)) && !isSameTile(tile, player.start)),
    random,
  );
  const placed = [];
  for (const { name, count, minDistance } of collectibles) {
    const free = tiles.filter((tile) => !placed.some((other) => isSameTile(other, tile)));
    const isFar = (tile) => distance(board, tile, player.start) >= minDistance;
    // Nearer tiles are a last resort, for boards on which too few are far enough.
    const preferred = [...free.filter(isFar), ...free.filter((tile) => !isFar(tile))];
    placed.push(...preferred.slice(0, count).map((tile) => ({ ...tile, name })));
  }
  return { placed, random: state };
}

function placeHazards({ board, player, hazards }, blocked, random) {
  const { list: tiles, state } = shuffle(
    allTiles(board).filter((tile) => !blocked.has(tileKey(board, tile)) && !isSameTile(tile, player.start)),
    random,
  );
  const isFar = (tile) => distance(board, tile, player.start) > 3;
  const free = [...tiles.filter(isFar), ...tiles.filter((tile) => !isFar(tile))];
  const placed = [];
  let current = state;
  for (const [kind, { name, count, axis }] of hazards.entries()) {
    const ways = axis === "vertical" ? ["up", "down"] : ["left", "right"];
    for (const tile of free.splice(0, count)) {
      const { value, state: next } = nextRandom(current);
      current = next;
      placed.push({ ...tile, name, kind, facing: ways[Math.floor(value * 2)] });
    }
  }
  return { placed, random: current };
}
