export type Genre = "collect-and-avoid" | "snake" | "breakout";

type Direction = "up" | "down" | "left" | "right";

export interface Tile {
  readonly column: number;
  readonly row: number;
}

export interface Board {
  readonly columns: number;
  readonly rows: number;
  readonly tilePx: number;
  readonly edges: "solid" | "wrap";
}

/** One thing that must be reached to win. */
export type Win =
  | { readonly collected: string; readonly count: number }
  | { readonly score: number }
  | { readonly steps: number }
  | { readonly length: number };

export interface Named {
  readonly name: string;
}

/** What a level is played with. A genre has only some of the lists. */
export interface Stage {
  readonly speed: { readonly start: number; readonly growth: number; readonly max: number };
  readonly walls: readonly Tile[];
  readonly obstacles?: readonly (Named & { readonly count: number; readonly mayCloseOff: boolean })[];
  readonly collectibles?: readonly Collectible[];
  readonly hazards?: readonly Hazard[];
  readonly bricks?: readonly (Named & { readonly hits: number; readonly points: number })[];
  readonly placedBricks?: readonly (Tile & { readonly kind: number })[];
  readonly powerUps: readonly PowerUp[];
  readonly light?: Light | null;
  readonly goal: { readonly wins: readonly Win[]; readonly maxSteps: number | null };
}

export interface Collectible extends Named {
  readonly count: number;
  readonly points: number;
  readonly growth?: number;
  readonly minDistance: number;
}

export interface Hazard extends Named {
  readonly count: number;
  readonly moves: "patrol" | "chase" | "wander" | "still";
  readonly axis: "horizontal" | "vertical";
  readonly tilesPerStep: number;
  readonly onTouch: "lose_life" | "lose_game";
}

export interface PowerUp extends Named {
  readonly effect: string;
  readonly every: number;
  readonly staysSteps?: number;
  readonly lastsSteps: number;
}

export interface Light {
  readonly startsTiles: number;
  readonly shrinksEverySteps: number;
  readonly minTiles: number;
  readonly growsPerCollectible: number;
}

interface Screen {
  readonly text: string;
  readonly hint: string;
}

type ScreenName = "title" | "paused" | "level" | "won" | "lost";

/** The complete rules that the result's engine plays by; a level has what differs from the game's own stage. */
export interface Rules extends Stage {
  readonly id: string;
  readonly board: Board;
  readonly lives: number;
  readonly player?: Named & {
    readonly start: Tile;
    readonly moves: readonly Direction[];
    readonly tilesPerStep: number;
    readonly safeStepsAfterHit: number;
  };
  readonly snake?: { readonly start: Tile; readonly length: number; readonly facing: Direction };
  readonly paddle?: { readonly widthTiles: number; readonly tilesPerSecond: number };
  readonly scoring: { readonly perLevel: number; readonly perLifeLeft: number; readonly perStepLeft: number };
  readonly highScores: number;
  readonly seed: number;
  readonly seedFromAddress: boolean;
  readonly controls: Controls;
  readonly screens: Readonly<Record<ScreenName, Screen>>;
  readonly colours: Readonly<Record<string, string>>;
  readonly levels: readonly (Named & Partial<Stage>)[];
}

export interface Controls {
  readonly keyboard: Readonly<Record<string, readonly string[]>>;
  readonly touch: "swipe" | "buttons" | "none";
}

/** A game: its rules, and the games that its tests play to the end. */
export interface Game {
  readonly genre: Genre;
  readonly rules: Rules;
  readonly playtests: { readonly winnable: readonly number[]; readonly losable: readonly number[] };
}

/** Reports what of `gameplay` is not honoured, by its path in there. */
export type Refuse = (path: string, reason: string) => void;
