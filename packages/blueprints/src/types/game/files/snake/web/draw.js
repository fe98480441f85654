import { between, drawPowerUps, placed } from "./grid.js";

const eyesAhead = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] };

/**
 * Draws a moment between two states on a canvas.
 *
 * @param {{ part: number }} how how much of the step has passed, from 0 to 1
 */
export function draw(context, rules, { before, game }, { part }) {
  const { columns, rows, tilePx } = rules.board;
  context.fillStyle = rules.colours.ground;
  context.fillRect(0, 0, columns * tilePx, rows * tilePx);
  for (const obstacle of game.obstacles) drawWall(context, placed(rules, obstacle), rules.colours[obstacle.name]);
  for (const food of game.collectibles) drawFood(context, placed(rules, food), rules.colours[food.name]);
  drawPowerUps(context, rules, game);
  context.fillStyle = rules.colours.snake;
  for (const [index, tile] of game.body.entries()) {
    const from = index === 0 ? before.body[0] : (before.body[index] ?? tile);
    drawSegment(context, placed(rules, between(from, tile, part)));
  }
  drawEyes(context, placed(rules, between(before.body[0], game.body[0], part)), game.facing);
}

function drawWall(context, { x, y, size }, colour) {
  context.fillStyle = colour;
  context.fillRect(x - size * 0.48, y - size * 0.48, size * 0.96, size * 0.96);
}

function drawFood(context, { x, y, size }, colour) {
  context.fillStyle = colour;
  disc(context, x, y, size * 0.36);
}

function drawSegment(context, { x, y, size }) {
  context.fillRect(x - size * 0.44, y - size * 0.44, size * 0.88, size * 0.88);
}

function drawEyes(context, { x, y, size }, facing) {
  const [across, down] = eyesAhead[facing];
  context.fillStyle = "#10151d";
  for (const side of [-1, 1]) {
    disc(context, x + (across * 0.2 + down * side * 0.2) * size, y + (down * 0.2 + across * side * 0.2) * size, size * 0.08);
  }
}

function disc(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.fill();
}
