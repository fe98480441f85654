import type { CompleteSpec } from "@slipway/spec";
import { unknownKeys } from "../../kit/not-built.ts";
import { colourOf, type Fields, fieldsOf, listOf, numberOf, textOf, textsOf, wholeOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";
import { readControls, readScreens } from "./read-controls.ts";

const directions = ["up", "down", "left", "right"];
const what = "a game";

/** Reads the complete rules that the engine plays by, and lists which of the document's rules it cannot play. */
export function readRules(document: CompleteSpec): { readonly rules: Fields; readonly unmet: readonly Unmet[] } {
  const gameplay = fieldsOf(fieldsOf(document)["gameplay"]);
  const unmet: Unmet[] = [...unknownKeys(gameplay, known, "/gameplay", what)];
  const refuse = (pointer: string, reason: string) => unmet.push({ pointer: `/gameplay/${pointer}`, reason });
  const board = boardOf(fieldsOf(gameplay["board"]));
  const names = new Set(["ground"]);
  const player = playerOf(fieldsOf(gameplay["player"]), board, names);
  if (typeof gameplay["genre"] === "string" && gameplay["genre"] !== "collect-and-avoid")
    refuse("genre", "The game is one of collecting and avoiding: no other genre is known.");
  if (gameplay["players"] !== undefined && gameplay["players"] !== 1) refuse("players", "One plays it.");
  const things = thingsOf(gameplay, board, names, refuse);
  const goal = goalOf(fieldsOf(gameplay["goal"]), things.collectibles, refuse);
  const random = fieldsOf(gameplay["random"]);
  if (random["generator"] !== undefined && random["generator"] !== "mulberry32")
    refuse("random/generator", "Random numbers come from mulberry32.");
  const scoring = fieldsOf(gameplay["scoring"]);
  const { controls, unmet: unmetControls } = readControls(fieldsOf(gameplay["controls"]));
  unmet.push(...unmetControls);
  const rules = {
    id: document.id,
    board,
    tickMs: wholeOf(gameplay["tick_ms"], 140, { min: 30, max: 2000 }),
    defaultSeed: wholeOf(random["default_seed"], 1, { min: -999_999_999, max: 999_999_999 }),
    seedFromUrl: random["seed_from"] === undefined || random["seed_from"] === "url",
    player,
    ...things,
    light: lightOf(gameplay["light"]),
    goal,
    scoring: {
      perLifeLeft: numberOf(scoring["per_life_left"], 0),
      perTickLeft: numberOf(scoring["per_tick_left"], 0),
    },
    keepsBest: (scoring["best_score_kept"] ?? "browser") === "browser",
    controls,
    screens: readScreens(fieldsOf(gameplay["screens"]), document),
    colours: coloursOf(fieldsOf(gameplay["palette"]), { player, ...things }, refuse),
  };
  return { rules, unmet };
}

const known = [
  ...["genre", "players", "board", "tick_ms", "random", "player", "obstacles", "collectibles", "hazards", "light"],
  ...["goal", "scoring", "controls", "screens", "palette"],
];

interface Board {
  readonly columns: number;
  readonly rows: number;
  readonly tilePx: number;
  readonly edges: string;
}

function boardOf(board: Fields): Board {
  return {
    columns: wholeOf(board["columns"], 16, { min: 6, max: 60 }),
    rows: wholeOf(board["rows"], 12, { min: 6, max: 60 }),
    tilePx: wholeOf(board["tile_px"], 32, { min: 8, max: 96 }),
    edges: board["edges"] === "wrap" ? "wrap" : "solid",
  };
}

function playerOf(player: Fields, { columns, rows }: Board, names: Set<string>) {
  const start = fieldsOf(player["start"]);
  const moves = textsOf(player["moves"]).filter((move) => directions.includes(move));
  return {
    name: nameOf(player["name"], "player", names),
    start: {
      column: wholeOf(start["column"], Math.floor(columns / 2), { min: 0, max: columns - 1 }),
      row: wholeOf(start["row"], Math.floor(rows / 2), { min: 0, max: rows - 1 }),
    },
    moves: moves.length === 0 ? directions : [...new Set(moves)],
    tilesPerTick: numberOf(player["tiles_per_tick"], 1, { min: 0.1, max: 4 }),
    lives: wholeOf(player["lives"], 3, { min: 1, max: 99 }),
    safeTicksAfterHit: wholeOf(player["safe_ticks_after_hit"], 8, { min: 0, max: 200 }),
  };
}

type Refuse = (pointer: string, reason: string) => void;

/** Obstacles, collectibles and hazards. Together they cover at most half of the board. */
function thingsOf(gameplay: Fields, { columns, rows }: Board, names: Set<string>, refuse: Refuse) {
  let room = Math.floor((columns * rows) / 2);
  const kinds = (key: string, fallback: readonly Fields[]): readonly Fields[] =>
    gameplay[key] === undefined ? fallback : listOf(gameplay[key]).map(fieldsOf);
  const counted = (key: string, index: number, thing: Fields, defaultCount: number, min = 0): number => {
    const count = wholeOf(thing["count"], defaultCount, { min, max: 2000 });
    const placed = Math.min(count, room);
    room -= placed;
    if (placed < count) refuse(`${key}/${index}/count`, `Only ${placed} fit on the board.`);
    return placed;
  };
  // Collectibles are placed first: without them there is no game.
  const wanted = kinds("collectibles", []);
  const collectibles = (wanted.length > 0 ? wanted : [{ name: "coin" }]).map((thing: Fields, index) => ({
    name: nameOf(thing["name"], "treasure", names),
    count: counted("collectibles", index, thing, 8, 1),
    points: numberOf(thing["points"], 10),
    minDistance: wholeOf(thing["min_distance_from_player"], 1, { min: 0, max: 120 }),
  }));
  const hazards = kinds("hazards", [{ name: "ghost", count: 2 }]).map((thing, index) => {
    const moves = textOf(thing["moves"], "patrol");
    if (!["patrol", "chase", "wander", "still"].includes(moves))
      refuse(`hazards/${index}/moves`, "Hazards patrol, chase, wander or stand still; this one patrols.");
    return {
      name: nameOf(thing["name"], "hazard", names),
      count: counted("hazards", index, thing, 2),
      moves: ["chase", "wander", "still"].includes(moves) ? moves : "patrol",
      axis: thing["axis"] === "vertical" ? "vertical" : "horizontal",
      tilesPerTick: numberOf(thing["tiles_per_tick"], 0.5, { min: 0, max: 4 }),
      onTouch: thing["on_touch"] === "lose_game" ? "lose_game" : "lose_life",
    };
  });
  const obstacles = kinds("obstacles", []).map((thing, index) => ({
    name: nameOf(thing["name"], "wall", names),
    count: counted("obstacles", index, thing, 10),
    mayCloseOff: thing["never_closes_off_a_tile"] === false,
  }));
  return { obstacles, collectibles, hazards };
}

function goalOf(goal: Fields, collectibles: readonly { name: string; count: number }[], refuse: Refuse) {
  const wins = [goal["win_when"] ?? []].flat().map(fieldsOf);
  const collect = wins.flatMap((win) => {
    const kind = collectibles.find(({ name }) => name === win["collected"]);
    if (kind === undefined) {
      refuse("goal/win_when", "A game is won by collecting what its rules name, and by nothing else.");
      return [];
    }
    return [{ name: kind.name, count: wholeOf(win["count"], kind.count, { min: 1, max: Math.max(1, kind.count) }) }];
  });
  const all = collectibles.filter(({ count }) => count > 0).map(({ name, count }) => ({ name, count }));
  const losses = [goal["lose_when"] ?? []].flat().map(fieldsOf);
  for (const [index, loss] of losses.entries())
    if (typeof loss["ticks"] !== "number" && loss["lives"] !== 0)
      refuse(`goal/lose_when/${index}`, "A game is lost when no lives are left, or after some number of ticks.");
  const ticks = losses.map((loss) => loss["ticks"]).filter((value) => typeof value === "number");
  return {
    collect: collect.length > 0 ? collect : all,
    maxTicks: ticks.length > 0 ? wholeOf(Math.min(...ticks), 600, { min: 1, max: 100_000 }) : null,
  };
}

function lightOf(value: unknown) {
  if (typeof value !== "object" || value === null) return null;
  const light = fieldsOf(value);
  return {
    startsTiles: numberOf(light["starts_tiles"], 8, { min: 0 }),
    shrinksEveryTicks: wholeOf(light["shrinks_every_ticks"], 100, { min: 1 }),
    minTiles: numberOf(light["min_tiles"], 2, { min: 0 }),
    growsPerCollectible: numberOf(light["grows_per_collectible"], 0),
  };
}

interface Named {
  readonly name: string;
}

/** A colour for every thing. The ground gets the palette's entry that names no thing. */
function coloursOf(
  palette: Fields,
  { player, obstacles, collectibles, hazards }: { player: Named } & Record<string, Named | readonly Named[]>,
  refuse: Refuse,
): Fields {
  const defaults = new Map([[player.name, "#e0a35f"]]);
  for (const { name } of obstacles as readonly Named[]) defaults.set(name, "#4a6b52");
  for (const { name } of collectibles as readonly Named[]) defaults.set(name, "#ffe27a");
  for (const { name } of hazards as readonly Named[]) defaults.set(name, "#d98c8c");
  for (const [name, value] of Object.entries(palette))
    if (colourOf(value) === undefined) refuse("palette", `The colour of ${name} is not written like #1a2b3c.`);
  const ground = Object.keys(palette).find((name) => !defaults.has(name));
  return Object.fromEntries([
    ["ground", colourOf(palette[ground ?? ""]) ?? "#14243a"],
    ...[...defaults].map(([name, colour]) => [name, colourOf(palette[name]) ?? colour]),
  ]);
}

/** A free name that is safe as a key of an object. */
function nameOf(value: unknown, fallback: string, taken: Set<string>): string {
  const plain = textOf(value, fallback)
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, 60);
  const base = plain in {} ? fallback : plain;
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base} ${number}`;
  taken.add(name);
  return name;
}

/** Whether a game by these rules can be lost. */
export function isLosable({ hazards, goal }: Fields): boolean {
  const canHurt = listOf(hazards).some((hazard) => numberOf(fieldsOf(hazard)["count"], 0) > 0);
  return canHurt || fieldsOf(goal)["maxTicks"] !== null;
}
