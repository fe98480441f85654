/** Rules of a small game in which everything lies where a test wants it: for trying the engine out. */
export function smallRules(changes = {}) {
  return {
    id: "small",
    board: { columns: 7, rows: 5, tilePx: 16, edges: "solid" },
    lives: 2,
    speed: { start: 10, growth: 1, max: 12 },
    seed: 3,
    seedFromAddress: true,
    highScores: 3,
    player: {
      name: "player",
      start: { column: 3, row: 2 },
      moves: ["up", "down", "left", "right"],
      tilesPerStep: 1,
      safeStepsAfterHit: 2,
    },
    walls: [],
    obstacles: [{ name: "rock", count: 3, mayCloseOff: false }],
    collectibles: [{ name: "coin", count: 3, points: 5, minDistance: 2 }],
    hazards: [{ name: "ghost", count: 1, moves: "patrol", axis: "horizontal", tilesPerStep: 0.5, onTouch: "lose_life" }],
    powerUps: [],
    light: { startsTiles: 4, shrinksEverySteps: 10, minTiles: 1, growsPerCollectible: 0.5 },
    goal: { wins: [{ collected: "coin", count: 3 }], maxSteps: 100 },
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
    colours: { ground: "#000000", player: "#ffffff", wall: "#777777", rock: "#888888", coin: "#ffff00", ghost: "#ff0000" },
    levels: [{ name: "" }],
    ...changes,
  };
}

/** A game that is won by holding the key "d" for some steps. */
export function quickRules(changes = {}) {
  return smallRules({
    board: { columns: 7, rows: 1, tilePx: 16, edges: "wrap" },
    player: { ...smallRules().player, start: { column: 3, row: 0 } },
    hazards: [],
    obstacles: [],
    ...changes,
  });
}
