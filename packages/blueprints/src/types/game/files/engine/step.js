import { directions, distance, isSameTile, neighbour, opposite, tileKey } from "./board.js";
import { nextRandom } from "./random.js";

/**
 * The state one tick later: a pure function of the rules, the state and what the player wants. A game that is over stays
 * as it is.
 *
 * @param {string | null} input a direction, or nothing
 */
export function step(rules, state, input) {
  if (state.status !== "playing") return state;
  const player = movePlayer(rules, state, input);
  const { hazards, random } = moveHazards(rules, state, player);
  const gathered = gather(rules, state, player);
  const touched = touches(rules, { ...state, hazardsBefore: state.hazards, hazards }, player);
  const next = { ...state, ...gathered, random, hazards, player: hurt(rules, player, touched), tick: state.tick + 1 };
  return { ...next, status: statusOf(rules, next) };
}

/** How many tiles something moves in this tick: half a tile a tick is one tile every other tick. */
export function tilesIn(tick, tilesPerTick) {
  return Math.floor((tick + 1) * tilesPerTick) - Math.floor(tick * tilesPerTick);
}

function movePlayer(rules, { player, blocked, tick }, input) {
  if (!rules.player.moves.includes(input)) return player;
  let tile = player;
  for (let left = tilesIn(tick, rules.player.tilesPerTick); left > 0; left -= 1) {
    const next = neighbour(rules.board, tile, input);
    if (next === undefined || blocked.has(tileKey(rules.board, next))) break;
    tile = next;
  }
  return { ...player, column: tile.column, row: tile.row, facing: input };
}

function moveHazards(rules, state, player) {
  let random = state.random;
  const hazards = state.hazards.map((hazard) => {
    const { moves, tilesPerTick } = rules.hazards[hazard.kind];
    let moved = hazard;
    for (let left = tilesIn(state.tick, tilesPerTick); left > 0; left -= 1) {
      if (moves === "wander") {
        const { value, state: next } = nextRandom(random);
        random = next;
        moved = { ...moved, facing: Object.keys(directions)[Math.floor(value * 4)] };
      }
      moved = ways[moves](rules.board, state.blocked, moved, player);
    }
    return moved;
  });
  return { hazards, random };
}

/** How hazards move, by what the rules call it. */
const ways = {
  still: (_board, _blocked, hazard) => hazard,
  wander: (board, blocked, hazard) => ahead(board, blocked, hazard) ?? hazard,
  patrol: (board, blocked, hazard) => {
    const turned = { ...hazard, facing: opposite[hazard.facing] };
    return ahead(board, blocked, hazard) ?? ahead(board, blocked, turned) ?? turned;
  },
  chase: (board, blocked, hazard, player) => {
    const options = Object.keys(directions).flatMap((facing) => ahead(board, blocked, { ...hazard, facing }) ?? []);
    const nearest = (a, b) => distance(board, a, player) - distance(board, b, player);
    return [hazard, ...options].sort(nearest)[0];
  },
};

/** The hazard one tile on; nothing if it cannot go there. */
function ahead(board, blocked, hazard) {
  const tile = neighbour(board, hazard, hazard.facing);
  return tile === undefined || blocked.has(tileKey(board, tile)) ? undefined : { ...hazard, ...tile };
}

function gather(rules, state, player) {
  const here = state.collectibles.filter((collectible) => isSameTile(collectible, player));
  if (here.length === 0) return {};
  const collected = { ...state.collected };
  let points = state.points;
  for (const { name } of here) {
    collected[name] = (collected[name] ?? 0) + 1;
    points += rules.collectibles.find((kind) => kind.name === name).points;
  }
  return { collected, points, collectibles: state.collectibles.filter((other) => !here.includes(other)) };
}

/** The hazards that the player meets: on the same tile, or passing each other between two. */
function touches(rules, { player: before, hazardsBefore, hazards }, player) {
  return hazards
    .filter((hazard, index) => {
      const hasPassed = isSameTile(hazard, before) && isSameTile(hazardsBefore[index], player);
      return isSameTile(hazard, player) || (hasPassed && !isSameTile(before, player));
    })
    .map(({ kind }) => rules.hazards[kind].onTouch);
}

function hurt(rules, player, touched) {
  if (player.safeTicks > 0) return { ...player, safeTicks: player.safeTicks - 1 };
  if (touched.length === 0) return player;
  const lives = touched.includes("lose_game") ? 0 : player.lives - 1;
  return { ...player, lives, safeTicks: rules.player.safeTicksAfterHit };
}

function statusOf({ goal }, { player, collected, tick }) {
  if (player.lives <= 0) return "lost";
  if (goal.collect.every(({ name, count }) => (collected[name] ?? 0) >= count)) return "won";
  return goal.maxTicks !== null && tick >= goal.maxTicks ? "lost" : "playing";
}
