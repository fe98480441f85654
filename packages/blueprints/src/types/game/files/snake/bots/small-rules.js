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
    snake: { start: { column: 3, row: 2 }, length: 3, facing: "right" },
    walls: [],
    obstacles: [],
    collectibles: [{ name: "apple", count: 1, points: 5, growth: 1, minDistance: 1 }],
    powerUps: [],
    goal: { wins: [{ collected: "apple", count: 3 }], maxSteps: 100 },
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
    colours: { ground: "#000000", snake: "#00ff00", wall: "#777777", rock: "#888888", apple: "#ff0000" },
    levels: [{ name: "" }],
    ...changes,
  };
}

/** A game that is won by going on straight, as the key "d" says. */
export function quickRules(changes = {}) {
  return smallRules({
    board: { columns: 7, rows: 1, tilePx: 16, edges: "wrap" },
    snake: { start: { column: 3, row: 0 }, length: 1, facing: "right" },
    ...changes,
  });
}
