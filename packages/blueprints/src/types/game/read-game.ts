import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import type { Unmet } from "../../plugin.ts";
import type { Board, Game, Genre, Refuse, Rules, Stage, Tile } from "./model.ts";
import { readColours } from "./read-colours.ts";
import { readControls, readScreens } from "./read-controls.ts";
import { readDrawings } from "./read-drawing.ts";
import { safeName } from "./read-names.ts";
import { type Gameplay, readStage, type StageContext } from "./read-stage.ts";
import { freeWalls, startOf } from "./read-start.ts";

/** The keys that only some genres have. */
const genresOf: Readonly<Record<string, readonly Genre[]>> = {
  obstacles: ["collect-and-avoid", "snake"],
  collectibles: ["collect-and-avoid", "snake"],
  hazards: ["collect-and-avoid"],
  light: ["collect-and-avoid"],
  bricks: ["breakout"],
  player: ["collect-and-avoid"],
  snake: ["snake"],
  paddle: ["breakout"],
};

/** Reads the complete rules that the engine plays by, and lists which of the document's rules it cannot play. */
export function readGame(document: DocumentToBuild<"game">): {
  readonly game: Game;
  readonly unmet: readonly Unmet[];
} {
  const given: Gameplay = document.gameplay ?? { genre: "collect-and-avoid" };
  const unmet: Unmet[] = [];
  const refuse = (path: string, reason: string) => {
    const pointer = path === "" ? "/gameplay" : `/gameplay/${path}`;
    if (!unmet.some((one) => one.pointer === pointer && one.reason === reason)) unmet.push({ pointer, reason });
  };
  const { genre } = given;
  refuseForeignKeys(genre, given, refuse);
  const drawings = readDrawings(given, genre, refuse);
  const board = boardOf(given, genre, drawings.size, refuse);
  const start = startOf(genre, given, board, drawings.walls, refuse);
  const asked = given.levels ?? [];
  const context: StageContext = { genre, board, start, drawings, hasLevels: asked.length > 0, refuse };
  const own = freeWalls(readStage(context, given, ""), start);
  const levels = asked.map((level, index) => {
    const at = `levels/${index}/`;
    const stage = freeWalls(readStage(context, level, at, { stage: own, given }), start);
    return { name: level.name === undefined ? "" : safeName(level.name, ""), stage };
  });
  const played = levels.length === 0 ? [{ name: "", stage: own }] : levels;
  refuseEndless(played, refuse);
  refuseUnheardGoal(given, refuse);
  const rules = {
    id: document.id,
    board,
    lives: given.lives ?? (genre === "snake" ? 1 : 3),
    ...heroOf(genre, given, start),
    ...own,
    scoring: scoringOf(given),
    highScores: given.scoring?.high_scores ?? 5,
    seed: given.random?.seed ?? 1,
    seedFromAddress: given.random?.from_address ?? true,
    controls: readControls(given.controls),
    screens: readScreens(given.screens, document),
    colours: {},
    levels: played.map(({ name, stage }) => ({ name, ...differing(stage, own) })),
  } satisfies Rules;
  const stages = played.map(({ stage }) => stage);
  const playtests = playtestsOf(given, genre, board, stages, refuse);
  const colours = readColours(genre, given.palette, rules.player?.name, [own, ...stages], refuse);
  return { game: { genre, rules: { ...rules, colours }, playtests }, unmet };
}

/** Reports keys of another genre without reading them. */
function refuseForeignKeys(genre: Genre, given: Gameplay, refuse: Refuse): void {
  const check = (block: object, at: string) => {
    for (const key of Object.keys(block))
      if (Object.hasOwn(genresOf, key) && !genresOf[key]!.includes(genre))
        refuse(`${at}${key}`, `A game of the genre '${genre}' has no '${key}'.`);
  };
  check(given, "");
  for (const [index, level] of (given.levels ?? []).entries()) check(level, `levels/${index}/`);
}

function boardOf(
  { board = {} }: Gameplay,
  genre: Genre,
  size: { readonly columns: number; readonly rows: number } | undefined,
  refuse: Refuse,
): Board {
  const { edges = "solid" } = board;
  if (genre === "breakout" && edges === "wrap") refuse("board/edges", "The edges of a breakout are solid.");
  return {
    columns: board.columns ?? Math.max(5, size?.columns ?? 20),
    rows: board.rows ?? Math.max(5, size?.rows ?? 14),
    tilePx: board.tile_px ?? 32,
    edges: genre === "breakout" ? "solid" : edges,
  };
}

/** What the player moves. */
function heroOf(genre: Genre, given: Gameplay, start: Tile) {
  switch (genre) {
    case "collect-and-avoid": {
      const { name = "player", moves = [], tiles_per_step = 1, safe_steps_after_hit = 8 } = given.player ?? {};
      const directions = moves.length === 0 ? (["up", "down", "left", "right"] as const) : [...new Set(moves)];
      return {
        player: {
          name: safeName(name, "player"),
          start,
          moves: directions,
          tilesPerStep: tiles_per_step,
          safeStepsAfterHit: safe_steps_after_hit,
        },
      };
    }
    case "snake": {
      const { length = 3, facing = "right" } = given.snake ?? {};
      return { snake: { start, length, facing } };
    }
    case "breakout": {
      const { width_tiles = 3, tiles_per_second = 14 } = given.paddle ?? {};
      return { paddle: { widthTiles: width_tiles, tilesPerSecond: tiles_per_second } };
    }
  }
}

function scoringOf({ scoring = {} }: Gameplay): Rules["scoring"] {
  const { per_level = 0, per_life_left = 0, per_step_left = 0 } = scoring;
  return { perLevel: per_level, perLifeLeft: per_life_left, perStepLeft: per_step_left };
}

/** A level that cannot be won is the last one that anybody sees. */
function refuseEndless(levels: readonly { readonly stage: Stage }[], refuse: Refuse): void {
  for (const [index, { stage }] of levels.slice(0, -1).entries())
    if (stage.goal.wins.length === 0)
      refuse(`levels/${index}`, "Nothing wins this level, so that no other follows: say what does in 'goal.win_when'.");
}

/** A goal of the game that every level replaces by its own. */
function refuseUnheardGoal({ goal = {}, levels = [] }: Gameplay, refuse: Refuse): void {
  for (const key of ["win_when", "lose_when"] as const)
    if (goal[key] !== undefined && levels.length > 0 && levels.every((level) => level.goal?.[key] !== undefined))
      refuse(`goal/${key}`, "Every level says this itself, so that it holds in none.");
}

/** What a level has of its own. */
function differing(stage: Stage, own: Stage): Partial<Stage> {
  const entries = Object.entries(stage).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(own[key as keyof Stage]),
  );
  return Object.fromEntries(entries);
}

function playtestsOf(
  { playtests = {} }: Gameplay,
  genre: Genre,
  board: Board,
  stages: readonly Stage[],
  refuse: Refuse,
): Game["playtests"] {
  const winnable = [...(playtests.winnable_seeds ?? [])];
  const losable = [...(playtests.losable_seeds ?? [])];
  const canBeWon = stages.every(({ goal }) => goal.wins.length > 0);
  const canBeLost = stages.some((stage) => isLosable(genre, board, stage));
  if (winnable.length > 0 && !canBeWon)
    refuse("playtests/winnable_seeds", "By these rules no game can be won: say what wins in 'goal.win_when'.");
  if (losable.length > 0 && !canBeLost) refuse("playtests/losable_seeds", "By these rules no game can be lost.");
  return { winnable: canBeWon ? winnable : [], losable: canBeLost ? losable : [] };
}

function isLosable(
  genre: Genre,
  { edges }: Board,
  { goal, hazards = [], walls, obstacles = [], collectibles = [] }: Stage,
) {
  if (goal.maxSteps !== null || genre === "breakout") return true;
  if (genre === "collect-and-avoid") return hazards.some(({ count }) => count > 0);
  const hasWalls = edges === "solid" || walls.length > 0 || obstacles.some(({ count }) => count > 0);
  return hasWalls || collectibles.some(({ growth = 1 }) => growth > 0);
}
