import { boolean, either, integer, list, map, number, object, oneOf, string, withDefault } from "../schema/shape.ts";

const name = (description: string, example: string) => string(description, { minLength: 1, examples: [example] });

const board = object("The board, in tiles.", {
  columns: integer("How many tiles it is wide: 20 unless given.", { minimum: 5, maximum: 60, examples: [20] }),
  rows: integer("How many tiles it is high: 14 unless given.", { minimum: 5, maximum: 60, examples: [14] }),
  tile_px: integer("How large a tile is drawn, in pixels: 32 unless given.", {
    minimum: 8,
    maximum: 96,
    examples: [32],
  }),
  edges: oneOf(
    "What the edges are: `solid` unless given. In `breakout` they are always solid.",
    {
      solid: "The board ends there. A snake that runs into them dies.",
      wrap: "What leaves the board on one side enters it on the other.",
    },
    { examples: ["solid"] },
  ),
});

const speed = object("How fast it goes, and how that grows.", {
  start: number(
    "Steps a second when a level begins; in `breakout` the ball's tiles a second. 8 unless given, 6 for a snake.",
    { minimum: 0.5, maximum: 30, examples: [6] },
  ),
  growth: number("What each thing collected, eaten or broken adds to it: 0 unless given.", {
    minimum: 0,
    maximum: 5,
    examples: [0.25],
  }),
  max: number("It grows no further than this: 30 unless given.", { minimum: 0.5, maximum: 30, examples: [14] }),
});

const place = object("A tile; the first column and the first row are 0.", {
  column: integer("Columns from the left.", { minimum: 0, maximum: 59, examples: [10] }),
  row: integer("Rows from the top.", { minimum: 0, maximum: 59, examples: [12] }),
});

const count = (description: string, example: number) =>
  integer(description, { minimum: 0, maximum: 2000, examples: [example] });

const obstacle = object("Tiles that nothing enters, placed by chance.", {
  name: name("What it is called.", "reeds"),
  count: count("How many of them there are: 10 unless given.", 24),
  may_close_off: boolean("Whether they may leave tiles that cannot be reached: no unless given.", {
    examples: [true],
  }),
});

const collectible = object("What is collected, or eaten by a snake.", {
  name: name("What it is called.", "firefly"),
  count: count("How many lie on the board: 8 unless given. A snake finds as many again: 1 unless given.", 12),
  points: number("Points for each: 10 unless given.", { minimum: -10_000, maximum: 10_000, examples: [10] }),
  growth: integer("How many tiles a snake grows by it: 1 unless given.", { minimum: 0, maximum: 50, examples: [2] }),
  min_distance: integer("How many steps it lies away from the start at least: 1 unless given.", {
    minimum: 0,
    maximum: 120,
    examples: [3],
  }),
});

const hazard = object("What moves about and hurts.", {
  name: name("What it is called.", "heron"),
  count: count("How many there are: 2 unless given.", 3),
  moves: oneOf(
    "How it moves: `patrol` unless given.",
    {
      patrol: "To and fro along its axis.",
      chase: "Towards the player.",
      wander: "By chance.",
      still: "Not at all.",
    },
    { examples: ["patrol"] },
  ),
  axis: oneOf(
    "Along which axis it patrols: `horizontal` unless given.",
    { horizontal: "To the left and right.", vertical: "Up and down." },
    { examples: ["vertical"] },
  ),
  tiles_per_step: number("How many tiles it moves in a step: 0.5 unless given.", {
    minimum: 0,
    maximum: 4,
    examples: [0.5],
  }),
  on_touch: oneOf(
    "What touching it costs: `lose_life` unless given.",
    { lose_life: "One life.", lose_game: "The game." },
    { examples: ["lose_life"] },
  ),
});

const brick = object("Bricks of one kind.", {
  name: name("What it is called.", "clay"),
  rows: integer("How many whole rows of it there are, from the top: 1 unless given. With a `layout` none.", {
    minimum: 1,
    maximum: 30,
    examples: [2],
  }),
  mark: string("The character that stands for it in `layout`.", {
    pattern: "^[A-Za-z0-9]$",
    patternErrorMessage: "one letter or digit",
    examples: ["c"],
  }),
  hits: integer("How many hits break it: 1 unless given.", { minimum: 1, maximum: 20, examples: [2] }),
  points: number("Points for breaking it: 10 unless given.", { minimum: -10_000, maximum: 10_000, examples: [20] }),
});

const powerUp = object(
  "Something that helps for a while. It lies on a free tile; in `breakout` it falls from a brick.",
  {
    name: name("What it is called.", "feather"),
    effect: oneOf(
      "What it does.",
      {
        slow: "Halves the speed.",
        double_points: "Points count twice.",
        extra_life: "One more life, for good.",
        shield: "Nothing hurts. For `collect-and-avoid`.",
        shrink: "Makes a snake three tiles shorter, for good. For `snake`.",
        wide_paddle: "Makes the paddle half as wide again. For `breakout`.",
      },
      { examples: ["slow"] },
    ),
    every: integer("One appears after every so many things collected, eaten or broken: 5 unless given.", {
      minimum: 1,
      maximum: 1000,
      examples: [5],
    }),
    stays_steps: integer("For how many steps it lies there: 40 unless given. Not in `breakout`.", {
      minimum: 1,
      maximum: 10_000,
      examples: [40],
    }),
    lasts_steps: integer("For how many steps it works: 50 unless given, 600 in `breakout`.", {
      minimum: 1,
      maximum: 10_000,
      examples: [50],
    }),
  },
  ["effect"],
);

const light = object("Darkness, and how far one sees in it.", {
  starts_tiles: number("How far at first, in tiles.", { minimum: 0, maximum: 120, examples: [9] }),
  shrinks_every_steps: integer("A tile less after every so many steps.", {
    minimum: 1,
    maximum: 100_000,
    examples: [75],
  }),
  min_tiles: number("Never less than this.", { minimum: 0, maximum: 120, examples: [2] }),
  grows_per_collectible: number("What each thing collected adds.", { minimum: 0, maximum: 10, examples: [0.25] }),
});

const win = object("One thing that must be reached.", {
  collected: name("The collectible or brick that must be collected, eaten or broken.", "firefly"),
  count: integer("How many of it; all that lie on the board unless given.", {
    minimum: 1,
    maximum: 2000,
    examples: [12],
  }),
  score: integer("Points that must be reached.", { minimum: 1, maximum: 10_000_000, examples: [500] }),
  steps: integer("Steps that must be survived.", { minimum: 1, maximum: 1_000_000, examples: [600] }),
  length: integer("How many tiles long a snake must get.", { minimum: 2, maximum: 3600, examples: [30] }),
});

const loss = object("What loses the game, besides the last life.", {
  steps: integer("So many steps in one level.", { minimum: 1, maximum: 1_000_000, examples: [750] }),
  lives: integer("So many lives left: always 0.", { minimum: 0, maximum: 0, examples: [0] }),
});

/** What each level may have of its own. */
const stage = {
  speed,
  layout: string(
    "The board as a drawing, a line a row: `#` is a wall, `.` is free, and in `breakout` each brick's `mark`.",
    { examples: ["......\n..##..\n......"] },
  ),
  obstacles: list("Walls placed by chance.", obstacle),
  collectibles: list("What is collected or eaten.", collectible),
  hazards: list("What hurts. For `collect-and-avoid`.", hazard),
  bricks: list("What is broken. For `breakout`.", brick),
  power_ups: list("What helps for a while.", powerUp),
  light,
  goal: object("How a level is won, and how the game is lost. A level has the game's where it says nothing itself.", {
    win_when: either(
      "What wins: all of it must be reached. Unless given, everything must be collected or broken; a snake plays on.",
      [win, list("All of these.", win)],
    ),
    lose_when: either("What loses, besides the last life.", [loss, list("Any of these.", loss)]),
  }),
};

const screen = (what: string, text: string) =>
  object(what, {
    text: string("The large text.", { examples: [text] }),
    hint: string("The small text below it.", { examples: ["Press Enter to play again."] }),
  });

const keys = (what: string, example: string) =>
  list(what, string("A key as browsers name it.", { minLength: 1, examples: [example] }));

const gameplay = object("The rules of the game.", {
  genre: withDefault(
    oneOf(
      "What kind of game it is.",
      {
        "collect-and-avoid": "A player on a board collects what lies there and avoids what hurts.",
        snake: "A snake on a board eats, grows, and must not bite itself or run into walls.",
        breakout: "A paddle keeps a ball in play that breaks bricks.",
      },
      { examples: ["snake"] },
    ),
    "collect-and-avoid",
  ),
  board,
  lives: integer("How many lives there are: 3 unless given, 1 for a snake.", {
    minimum: 1,
    maximum: 99,
    examples: [3],
  }),
  ...stage,
  levels: list(
    "The levels, in order. Each says what differs from the game's own rules.",
    object("A level.", { name: name("What it is called.", "The garden"), ...stage }),
  ),
  player: object("Who collects. For `collect-and-avoid`.", {
    name: name("What it is called.", "boat"),
    start: place,
    moves: list(
      "The directions in which it can go: all four unless given.",
      oneOf(
        "A direction.",
        { up: "Up.", down: "Down.", left: "To the left.", right: "To the right." },
        { examples: ["up"] },
      ),
    ),
    tiles_per_step: number("How many tiles it moves in a step: 1 unless given.", {
      minimum: 0.1,
      maximum: 4,
      examples: [1],
    }),
    safe_steps_after_hit: integer("For how many steps nothing hurts after a hit: 8 unless given.", {
      minimum: 0,
      maximum: 200,
      examples: [10],
    }),
  }),
  snake: object("The snake. For `snake`.", {
    start: place,
    length: integer("How many tiles long it begins: 3 unless given.", { minimum: 1, maximum: 30, examples: [3] }),
    facing: oneOf(
      "Where it goes first: `right` unless given.",
      { up: "Up.", down: "Down.", left: "To the left.", right: "To the right." },
      { examples: ["right"] },
    ),
  }),
  paddle: object("The paddle. For `breakout`.", {
    width_tiles: number("How wide it is: 3 unless given.", { minimum: 1, maximum: 20, examples: [3] }),
    tiles_per_second: number("How fast it moves: 14 unless given.", { minimum: 1, maximum: 60, examples: [14] }),
  }),
  scoring: object("Points beyond those of things.", {
    per_level: number("For each level that is finished.", { minimum: 0, maximum: 1_000_000, examples: [100] }),
    per_life_left: number("For each life left when the game is won.", {
      minimum: 0,
      maximum: 1_000_000,
      examples: [50],
    }),
    per_step_left: number("For each step left when the game is won, where steps are limited.", {
      minimum: 0,
      maximum: 1_000_000,
      examples: [1],
    }),
    high_scores: integer("How many best scores the browser keeps and shows: 5 unless given; 0 for none.", {
      minimum: 0,
      maximum: 20,
      examples: [10],
    }),
  }),
  controls: object("How it is played. A gamepad always works.", {
    keyboard: object("The keys of each action; the arrows and WASD, P and Enter unless given.", {
      up: keys("Keys for up.", "ArrowUp"),
      down: keys("Keys for down.", "ArrowDown"),
      left: keys("Keys for left.", "ArrowLeft"),
      right: keys("Keys for right.", "ArrowRight"),
      pause: keys("Keys that pause.", "p"),
      start: keys("Keys that start.", "Enter"),
    }),
    touch: oneOf(
      "How fingers play: by `swipe` unless given.",
      {
        swipe: "By swiping on the board.",
        buttons: "By buttons below the board.",
        none: "Not at all.",
      },
      { examples: ["buttons"] },
    ),
  }),
  screens: object("The texts before, between and after games.", {
    title: screen("Before the first game.", "Lantern Keeper"),
    paused: screen("During a pause.", "Paused"),
    level: screen("Before each further level.", "Next level"),
    won: screen("After a game that was won.", "The lantern is full."),
    lost: screen("After a game that was lost.", "The pond is dark."),
  }),
  palette: map(
    "Colours by the names of things; `ground` is the board, `wall` what `#` draws, `player`, `snake`, `paddle` and `ball` themselves.",
    string("A colour.", {
      pattern: "^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$",
      patternErrorMessage: "a colour such as '#1a2b3c'",
      examples: ["#14243a"],
    }),
    { examples: [{ ground: "#14243a", firefly: "#ffe27a" }] },
  ),
  random: object("Where chance comes from: the same seed is the same game.", {
    seed: integer("The seed of the first game: 1 unless given.", {
      minimum: -999_999_999,
      maximum: 999_999_999,
      examples: [7],
    }),
    from_address: boolean("Whether `?seed=42` in the address picks the game: yes unless given.", {
      examples: [false],
    }),
  }),
  playtests: object("Games that the result's own tests play to the end.", {
    winnable_seeds: list(
      "Seeds of games that a careful player must win.",
      integer("A seed.", { minimum: -999_999_999, maximum: 999_999_999, examples: [42] }),
    ),
    losable_seeds: list(
      "Seeds of games that a careless player must lose.",
      integer("A seed.", { minimum: -999_999_999, maximum: 999_999_999, examples: [42] }),
    ),
  }),
});

/** What a document of this type may say beyond the keys of every document. */
export const game = object("What a `game` is made from.", { gameplay });
