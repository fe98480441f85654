import { directions, distance, isSameTile, neighbour, opposite, tileKey } from "./board.js";
import { statusOf } from "./goal.js";
import { worth } from "./measures.js";
import { layPowerUps, takeLying } from "./place.js";
import { isActive } from "./power-ups.js";
import { nextRandom } from "./random.js";

/** The level one step later: the player moves, then the hazards; what is met is collected, or hurts. */
export function stepLevel(rules, state, input) {
  const player = movePlayer(rules, state, input);
  const { hazards, random } = moveHazards(rules, state, player);
  const gathered = { ...state, ...gather(rules, state, player) };
  const touched = touches(rules, { ...state, hazardsBefore: state.hazards, hazards }, player);
  const hit = { ...gathered, random, hazards, ...hurt(rules, { ...gathered, player }, touched), tick: state.tick + 1 };
  const helped = takeLying(rules, hit, player);
  const isFree = (tile) =>
    !helped.blocked.has(tileKey(rules.board, tile)) && !helped.collectibles.some((other) => isSameTile(other, tile));
  const next = layPowerUps(rules, helped, state.count, isFree);
  return { ...next, status: statusOf(rules, next) };
}

/** How many tiles something moves in this step: half a tile a step is one tile every other step. */
export function tilesIn(tick, tilesPerStep) {
  return Math.floor((tick + 1) * tilesPerStep) - Math.floor(tick * tilesPerStep);
}

function movePlayer(rules, { player, blocked, tick }, input) {
  if (!rules.player.moves.includes(input)) return player;
  let tile = player;
  for (let left = tilesIn(tick, rules.player.tilesPerStep); left > 0; left -= 1) {
    const next = neighbour(rules.board, tile, input);
    if (next === undefined || blocked.has(tileKey(rules.board, next))) break;
    tile = next;
  }
  return { ...player, column: tile.column, row: tile.row, facing: input };
}

function moveHazards(rules, state, player) {
  let random = state.random;
  const hazards = state.hazards.map((hazard) => {
    const { moves, tilesPerStep } = rules.hazards[hazard.kind];
    let moved = hazard;
    for (let left = tilesIn(state.tick, tilesPerStep); left > 0; left -= 1) {
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
    points += worth(rules.collectibles.find((kind) => kind.name === name).points, state);
  }
  const collectibles = state.collectibles.filter((other) => !here.includes(other));
  return { collected, points, collectibles, count: state.count + here.length };
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

function hurt(rules, state, touched) {
  const { player, lives } = state;
  if (player.safeSteps > 0) return { player: { ...player, safeSteps: player.safeSteps - 1 } };
  if (touched.length === 0 || isActive(state, "shield")) return { player };
  const left = touched.includes("lose_game") ? 0 : lives - 1;
  return { lives: left, player: { ...player, safeSteps: rules.player.safeStepsAfterHit } };
}
