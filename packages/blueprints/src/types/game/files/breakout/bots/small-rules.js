/** Rules of a small game in which there are two kinds of bricks: for trying the engine out. */
export function smallRules(changes = {}) {
  return {
    id: "small",
    board: { columns: 7, rows: 8, tilePx: 16, edges: "solid" },
    lives: 2,
    speed: { start: 10, growth: 1, max: 12 },
    seed: 3,
    seedFromAddress: true,
    highScores: 3,
    paddle: { widthTiles: 3, tilesPerSecond: 14 },
    walls: [],
    bricks: [
      { name: "clay", hits: 1, points: 5 },
      { name: "stone", hits: 2, points: 9 },
    ],
    placedBricks: [
      { column: 2, row: 0, kind: 0 },
      { column: 3, row: 0, kind: 0 },
      { column: 4, row: 0, kind: 1 },
    ],
    powerUps: [],
    goal: { wins: [{ collected: "clay", count: 2 }, { collected: "stone", count: 1 }], maxSteps: 6000 },
    scoring: { perLevel: 7, perLifeLeft: 20, perStepLeft: 1 },
    controls: {
      keyboard: { up: ["ArrowUp"], down: ["ArrowDown"], left: ["ArrowLeft"], right: ["d"], pause: ["p"], start: ["Enter"] },
      touch: "swipe",
    },
    screens: {
      title: { text: "Small", hint: "Go" },
      paused: { text: "Paused", hint: "" },
      level: { text: "Next", hint: "" },
      won: { text: "Won", hint: "" },
      lost: { text: "Lost", hint: "" },
    },
    colours: { ground: "#000000", paddle: "#ffffff", ball: "#ffff00", wall: "#777777", clay: "#cc6644", stone: "#888888" },
    levels: [{ name: "" }],
    ...changes,
  };
}

/** A game that is won without a key: the whole top of the board is one row of bricks, and one of them is enough. */
export function quickRules(changes = {}) {
  const placedBricks = Array.from({ length: 7 }, (_, column) => ({ column, row: 0, kind: 0 }));
  return smallRules({
    placedBricks,
    speed: { start: 20, growth: 0, max: 20 },
    goal: { wins: [{ collected: "clay", count: 1 }], maxSteps: 600 },
    ...changes,
  });
}
