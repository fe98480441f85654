/** Rules of a small game in which everything lies where a test wants it: for trying the engine out. */
export function smallRules(changes = {}) {
  return {
    board: { columns: 7, rows: 5, tilePx: 16, edges: "solid" },
    tickMs: 100,
    id: "small",
    defaultSeed: 3,
    seedFromUrl: true,
    keepsBest: true,
    player: {
      name: "player",
      start: { column: 3, row: 2 },
      moves: ["up", "down", "left", "right"],
      tilesPerTick: 1,
      lives: 2,
      safeTicksAfterHit: 2,
    },
    obstacles: [{ name: "wall", count: 3, mayCloseOff: false }],
    collectibles: [{ name: "coin", count: 3, points: 5, minDistance: 2 }],
    hazards: [{ name: "ghost", count: 1, moves: "patrol", axis: "horizontal", tilesPerTick: 0.5, onTouch: "lose_life" }],
    light: { startsTiles: 4, shrinksEveryTicks: 10, minTiles: 1, growsPerCollectible: 0.5 },
    goal: { collect: [{ name: "coin", count: 3 }], maxTicks: 100 },
    scoring: { perLifeLeft: 20, perTickLeft: 1 },
    controls: {
      keyboard: { up: ["ArrowUp"], down: ["ArrowDown"], left: ["ArrowLeft"], right: ["d"], pause: ["p"], start: ["Enter"] },
      touch: "swipe",
    },
    screens: { title: { text: "Small", hint: "Go" }, won: { text: "Won", hint: "" }, lost: { text: "Lost", hint: "" } },
    colours: { ground: "#000000", player: "#ffffff", wall: "#888888", coin: "#ffff00", ghost: "#ff0000" },
    ...changes,
  };
}
