/** A demanding snake: walls, growing speed, three levels, power-ups, touch buttons and a table of high scores. */
export const snake = `spec_version: "1.0.0"
id: garden-snake
name: Garden Snake
description: Snake with walls, three levels that get faster, a pause and a table of high scores.
outcome_type: game
stack: { language: javascript, rendering: canvas-2d }
gameplay:
  genre: snake
  board: { columns: 21, rows: 15, edges: solid }
  speed: { start: 5, growth: 0.25, max: 14 }
  lives: 3
  snake: { length: 4, facing: right }
  collectibles:
    - { name: apple, points: 10, growth: 1 }
    - { name: pear, points: 25, growth: 3 }
  power_ups:
    - { name: feather, effect: slow, every: 4, stays_steps: 60, lasts_steps: 40 }
    - { name: knife, effect: shrink, every: 6 }
    - { name: heart, effect: extra_life, every: 9 }
    - { name: star, effect: double_points, every: 5 }
  levels:
    - name: Meadow
      goal: { win_when: { collected: apple, count: 5 } }
    - name: Orchard
      speed: { start: 7 }
      obstacles: [{ name: stone, count: 12 }]
      goal: { win_when: { collected: apple, count: 6 } }
    - name: Maze
      speed: { start: 8 }
      layout: |
        .....................
        .....................
        ...######...######...
        ...#.............#...
        ...#.............#...
        .....................
        .....................
        .....................
        .....................
        .....................
        ...#.............#...
        ...#.............#...
        ...######...######...
        .....................
        .....................
      goal: { win_when: [{ collected: apple, count: 5 }, { length: 12 }], lose_when: { steps: 2000 } }
  scoring: { per_level: 100, per_life_left: 50, high_scores: 10 }
  controls:
    keyboard: { up: [ArrowUp, k], down: [ArrowDown, j], left: [ArrowLeft, h], right: [ArrowRight, l], pause: [" "] }
    touch: buttons
  screens:
    paused: { text: Asleep in the sun }
    level: { text: Onwards to, hint: Press Enter }
  palette: { ground: "#101a12", snake: "#8fd14f", wall: "#777777", apple: "#ff4d4d" }
  playtests: { winnable_seeds: [1, 2], losable_seeds: [1, 2] }
acceptance:
  tests:
    - { file: "tests/**/*.test.js", type: unit, framework: "node:test", coverage_threshold: 0.85 }
  http_endpoints:
    - { path: /, response_contains: ["<canvas", Garden Snake, High scores] }
`;

/** A breakout of two levels, one of them drawn. */
export const breakout = `spec_version: "1.0.0"
id: brickyard
name: Brickyard
description: Breakout.
outcome_type: game
stack: {}
gameplay:
  genre: breakout
  board: { columns: 14, rows: 18 }
  speed: { start: 9, growth: 0.05, max: 14 }
  lives: 3
  paddle: { width_tiles: 3.5, tiles_per_second: 16 }
  bricks:
    - { name: clay, mark: c, rows: 2, hits: 1, points: 10 }
    - { name: stone, mark: s, rows: 1, hits: 2, points: 25 }
  power_ups:
    - { name: plank, effect: wide_paddle, every: 6 }
    - { name: heart, effect: extra_life, every: 10 }
  levels:
    - name: Wall
    - name: Arch
      layout: |
        ..............
        ..cccccccccc..
        ..c........c..
        ..s...##...s..
  playtests: { winnable_seeds: [1, 5], losable_seeds: [1] }
acceptance: {}
`;
