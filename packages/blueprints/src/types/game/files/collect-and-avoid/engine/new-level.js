import { isSameTile, reachable, tileKey } from "./board.js";
import { placeObstacles, shuffledTiles } from "./place.js";
import { nextRandom } from "./random.js";

/** The state in which a level begins, with the lives and points that were carried into it. */
export function newLevel(rules, { random, lives, points }) {
  const { start, moves } = rules.player;
  const obstacles = placeObstacles(rules, start, random);
  const collectibles = placeCollectibles(rules, obstacles.blocked, obstacles.random);
  const hazards = placeHazards(rules, obstacles.blocked, collectibles.random);
  return {
    random: hazards.random,
    tick: 0,
    status: "playing",
    lives,
    points,
    collected: {},
    count: 0,
    effects: {},
    lying: [],
    player: { ...start, facing: moves[0], safeSteps: 0 },
    obstacles: obstacles.placed,
    blocked: obstacles.blocked,
    collectibles: collectibles.placed,
    hazards: hazards.placed,
  };
}

function placeCollectibles({ board, player, collectibles }, blocked, random) {
  const within = reachable(board, player.start, blocked);
  const placed = [];
  let current = random;
  for (const { name, count, minDistance } of collectibles) {
    const isFree = (tile) =>
      within.has(tileKey(board, tile)) && ![player.start, ...placed].some((other) => isSameTile(other, tile));
    // Nearer tiles are a last resort, for boards on which too few are far enough.
    const { tiles, random: next } = shuffledTiles(board, player.start, minDistance, isFree, current);
    current = next;
    placed.push(...tiles.slice(0, count).map((tile) => ({ ...tile, name })));
  }
  return { placed, random: current };
}

function placeHazards({ board, player, hazards }, blocked, random) {
  const isFree = (tile) => !blocked.has(tileKey(board, tile)) && !isSameTile(tile, player.start);
  const { tiles: free, random: state } = shuffledTiles(board, player.start, 4, isFree, random);
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
