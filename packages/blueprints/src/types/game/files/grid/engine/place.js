import { allTiles, distance, isSameTile, neighbour, reachable, tileKey } from "./board.js";
import { dueKinds, takePowerUp } from "./power-ups.js";
import { nextRandom, shuffle } from "./random.js";

/** The walls of the level's drawing and obstacles placed by chance; tiles at the start are left free. */
export function placeObstacles({ board, walls, obstacles }, start, random) {
  const { list: tiles, state } = shuffle(allTiles(board), random);
  const placed = walls.map((wall) => ({ ...wall, name: "wall" }));
  const blocked = new Set(walls.map((wall) => tileKey(board, wall)));
  const isNear = (tile) => isSameTile(tile, start) || isBeside(board, tile, start);
  for (const { name, count, mayCloseOff } of obstacles) {
    const wanted = placed.length + count;
    for (const tile of tiles) {
      if (placed.length === wanted) break;
      const key = tileKey(board, tile);
      if (blocked.has(key) || isNear(tile)) continue;
      blocked.add(key);
      if (mayCloseOff || isWhole(board, start, blocked, walls)) placed.push({ ...tile, name });
      else blocked.delete(key);
    }
  }
  return { placed, blocked, random: state };
}

function isBeside(board, tile, start) {
  return ["up", "down", "left", "right"].some((direction) => {
    const beside = neighbour(board, start, direction);
    return beside !== undefined && isSameTile(beside, tile);
  });
}

/** Whether obstacles cut nothing off: what the drawing's own walls close off does not count. */
function isWhole(board, start, blocked, walls) {
  const drawn = new Set(walls.map((wall) => tileKey(board, wall)));
  const open = reachable(board, start, drawn);
  const taken = [...blocked].filter((key) => open.has(key)).length;
  return reachable(board, start, blocked).size === open.size - taken;
}

/** Tiles in an order that chance decides, those that lie far enough from the start first. */
export function shuffledTiles(board, start, minDistance, isFree, random) {
  const { list, state } = shuffle(allTiles(board).filter(isFree), random);
  const isFar = (tile) => distance(board, tile, start) >= minDistance;
  return { tiles: [...list.filter(isFar), ...list.filter((tile) => !isFar(tile))], random: state };
}

/** Takes what helps and lies on this tile. */
export function takeLying(rules, state, tile) {
  const here = state.lying.filter((one) => isSameTile(one, tile));
  const rest = { ...state, lying: state.lying.filter((one) => !here.includes(one)) };
  return here.reduce((next, { kind }) => takePowerUp(rules, next, kind), rest);
}

/** Lays out what is due after the count of things taken has grown, and removes what has lain for too long. */
export function layPowerUps(rules, state, countBefore, isFree) {
  const lying = state.lying.filter(({ untilTick }) => untilTick > state.tick);
  let { random } = state;
  for (const kind of dueKinds(rules, countBefore, state.count)) {
    const free = allTiles(rules.board).filter((tile) => isFree(tile) && !lying.some((one) => isSameTile(one, tile)));
    if (free.length === 0) continue;
    const { value, state: next } = nextRandom(random);
    random = next;
    const tile = free[Math.floor(value * free.length)];
    lying.push({ ...tile, kind, untilTick: state.tick + rules.powerUps[kind].staysSteps });
  }
  return { ...state, random, lying };
}
