import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import type { Board, Collectible, Genre, Hazard, Light, PowerUp, Refuse, Stage, Tile } from "./model.ts";
import type { Drawing, Drawings } from "./read-drawing.ts";

import { readGoal } from "./read-goal.ts";
import { Names } from "./read-names.ts";

export type Gameplay = NonNullable<DocumentToBuild<"game">["gameplay"]>;
export type GivenStage = Omit<NonNullable<Gameplay["levels"]>[number], "name">;

export interface StageContext {
  readonly genre: Genre;
  readonly board: Board;
  readonly start: Tile;
  readonly drawings: Drawings;
  /** Whether levels are played, and not the game's own stage. */
  readonly hasLevels: boolean;
  readonly refuse: Refuse;
}

/** What a level takes over where it says nothing itself. */
interface Base {
  readonly stage: Stage;
  readonly given: GivenStage;
}

/** Names that the engine itself gives to things. */
const reserved = ["ground", "wall", "snake", "paddle", "ball"];

/** Reads what a level is played with; `at` is where it stands in `gameplay`. */
export function readStage(context: StageContext, given: GivenStage, at: string, base?: Base): Stage {
  const { genre, drawings } = context;
  const names = new Names(reserved);
  const drawing = drawings.at.get(at) ?? (base === undefined ? undefined : drawings.at.get(""));
  const common = {
    speed: speedOf(context, given, at, base?.stage),
    walls: wallsOf(context, drawing, at),
    powerUps: powerUpsOf(context, given, at, names) ?? base?.stage.powerUps ?? [],
  };
  const things =
    genre === "breakout"
      ? bricksOf(context, given, drawing, at, names, base)
      : thingsOf(context, given, at, names, base);
  const stage = { ...common, ...things };
  return {
    ...stage,
    goal: readGoal(context, stage, given.goal, { at, inherited: base?.given.goal }),
  };
}

function speedOf(
  { genre, refuse }: StageContext,
  given: GivenStage,
  at: string,
  base: Stage | undefined,
): Stage["speed"] {
  const asked = given.speed ?? {};
  const own = base?.speed ?? { start: genre === "snake" ? 6 : 8, growth: 0, max: 30 };
  const speed = { start: asked.start ?? own.start, growth: asked.growth ?? own.growth, max: asked.max ?? own.max };
  if (speed.start > speed.max) refuse(`${at}speed`, `It cannot start at ${speed.start}: its 'max' is ${speed.max}.`);
  return speed;
}

function wallsOf({ board, refuse }: StageContext, drawing: Drawing | undefined, at: string): readonly Tile[] {
  if (drawing === undefined) return [];
  const isTooLarge = drawing.columns > board.columns || drawing.rows > board.rows;
  if (isTooLarge) refuse(`${at}layout`, "The drawing is larger than the board: the rest is left out.");
  return drawing.walls.filter((tile) => isOn(board, tile));
}

function isOn({ columns, rows }: Board, { column, row }: Tile): boolean {
  return column < columns && row < rows;
}

/** Obstacles, collectibles and hazards. Together they cover at most half of the board. */
function thingsOf(context: StageContext, given: GivenStage, at: string, names: Names, base: Base | undefined) {
  const { genre, board, refuse } = context;
  let room = Math.floor((board.columns * board.rows) / 2);
  const fit = (key: string, index: number, wanted: number): number => {
    const placed = Math.min(wanted, room);
    room -= placed;
    if (placed < wanted) refuse(`${at}${key}/${index}/count`, `Only ${placed} fit on the board.`);
    return placed;
  };
  const isSnake = genre === "snake";
  const collectible = (thing: NonNullable<GivenStage["collectibles"]>[number], index: number): Collectible => ({
    name: names.take(thing.name, isSnake ? "apple" : "coin"),
    // Without any there would be no game.
    count: Math.max(1, fit("collectibles", index, thing.count ?? (isSnake ? 1 : 8))),
    points: thing.points ?? 10,
    ...(isSnake && { growth: thing.growth ?? 1 }),
    minDistance: thing.min_distance ?? 1,
  });
  const wanted = given.collectibles;
  const collectibles =
    wanted === undefined || wanted.length === 0
      ? (base?.stage.collectibles ?? [collectible({}, 0)])
      : wanted.map(collectible);
  const hazards = isSnake
    ? undefined
    : (given.hazards?.map((thing, index) => hazardOf(thing, names, (count) => fit("hazards", index, count))) ??
      base?.stage.hazards ??
      []);
  const obstacles =
    given.obstacles?.map((thing, index) => ({
      name: names.take(thing.name, "rock"),
      count: fit("obstacles", index, thing.count ?? 10),
      mayCloseOff: thing.may_close_off ?? false,
    })) ??
    base?.stage.obstacles ??
    [];
  if (isSnake) return { obstacles, collectibles };
  return { obstacles, collectibles, hazards: hazards!, light: lightOf(given.light) ?? base?.stage.light ?? null };
}

function hazardOf(
  thing: NonNullable<GivenStage["hazards"]>[number],
  names: Names,
  fit: (count: number) => number,
): Hazard {
  return {
    name: names.take(thing.name, "hazard"),
    count: fit(thing.count ?? 2),
    moves: thing.moves ?? "patrol",
    axis: thing.axis ?? "horizontal",
    tilesPerStep: thing.tiles_per_step ?? 0.5,
    onTouch: thing.on_touch ?? "lose_life",
  };
}

function lightOf(light: GivenStage["light"]): Light | undefined {
  if (light === undefined) return undefined;
  return {
    startsTiles: light.starts_tiles ?? 8,
    shrinksEverySteps: light.shrinks_every_steps ?? 100,
    minTiles: light.min_tiles ?? 2,
    growsPerCollectible: light.grows_per_collectible ?? 0,
  };
}

type GivenBrick = NonNullable<GivenStage["bricks"]>[number];

/** Bricks as the drawing has them; without any there in whole rows, from the second row of the board. */
function bricksOf(
  context: StageContext,
  given: GivenStage,
  drawing: Drawing | undefined,
  at: string,
  names: Names,
  base: Base | undefined,
) {
  const { refuse } = context;
  const asked = given.bricks ?? base?.given.bricks;
  if (asked?.length === 0) refuse(`${at}bricks`, "Without bricks there is nothing to break: there are four rows.");
  const wanted: readonly GivenBrick[] =
    asked === undefined || asked.length === 0 ? [{ name: "brick", rows: 4 }] : asked;
  const bricks = wanted.map((kind) => ({
    name: names.take(kind.name, "brick"),
    hits: kind.hits ?? 1,
    points: kind.points ?? 10,
  }));
  const drawn = drawnBricks(context, wanted, drawing, at);
  return { bricks, placedBricks: drawn.length > 0 ? drawn : bricksInRows(context, wanted, drawing, at) };
}

function drawnBricks(
  { board, refuse }: StageContext,
  wanted: readonly GivenBrick[],
  drawing: Drawing | undefined,
  at: string,
) {
  return (drawing?.marks ?? []).flatMap(({ column, row, mark }) => {
    const kind = wanted.findIndex((one) => one.mark === mark);
    if (kind === -1) refuse(`${at}layout`, `No brick has the mark '${mark}'.`);
    else if (row >= board.rows - 3) refuse(`${at}layout`, "The last three rows are left free for the paddle.");
    const isThere = kind !== -1 && row < board.rows - 3 && isOn(board, { column, row });
    return isThere ? [{ column, row, kind }] : [];
  });
}

function bricksInRows(
  { board, refuse }: StageContext,
  wanted: readonly GivenBrick[],
  drawing: Drawing | undefined,
  at: string,
) {
  const maxRows = Math.max(1, board.rows - 5);
  const rows = wanted.flatMap((kind, index) => Array<number>(kind.rows ?? 1).fill(index));
  if (rows.length > maxRows) refuse(`${at}bricks`, `Only ${maxRows} rows of bricks leave room to play.`);
  const walls = new Set((drawing?.walls ?? []).map(({ column, row }) => row * board.columns + column));
  return rows
    .slice(0, maxRows)
    .flatMap((kind, index) => Array.from({ length: board.columns }, (_, column) => ({ column, row: index + 1, kind })))
    .filter(({ column, row }) => !walls.has(row * board.columns + column));
}

const effects: Readonly<Record<Genre, readonly string[]>> = {
  "collect-and-avoid": ["slow", "double_points", "extra_life", "shield"],
  snake: ["slow", "double_points", "extra_life", "shrink"],
  breakout: ["slow", "double_points", "extra_life", "wide_paddle"],
};

function powerUpsOf(
  { genre, refuse }: StageContext,
  { power_ups }: GivenStage,
  at: string,
  names: Names,
): readonly PowerUp[] | undefined {
  return power_ups?.flatMap((one, index) => {
    const { effect, every = 5 } = one;
    if (!effects[genre].includes(effect)) {
      refuse(`${at}power_ups/${index}`, `A game of the genre '${genre}' has no power-up that does '${effect}'.`);
      return [];
    }
    const isFalling = genre === "breakout";
    return [
      {
        name: names.take(one.name, effect.replaceAll("_", " ")),
        effect,
        every,
        ...(!isFalling && { staysSteps: one.stays_steps ?? 40 }),
        lastsSteps: one.lasts_steps ?? (isFalling ? 600 : 50),
      },
    ];
  });
}
