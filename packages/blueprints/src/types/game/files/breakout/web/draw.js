import { ballRadius, paddleHeight } from "../engine/new-level.js";
import { paddleWidth } from "../engine/step-level.js";

/** Draws a state on a canvas. Steps are so short that nothing lies between two of them. */
export function draw(context, rules, { game }) {
  const { columns, rows, tilePx } = rules.board;
  const { colours } = rules;
  const box = (x, y, width, height) => context.fillRect(x * tilePx, y * tilePx, width * tilePx, height * tilePx);
  context.fillStyle = colours.ground;
  box(0, 0, columns, rows);
  context.fillStyle = colours.wall;
  for (const { column, row } of game.walls) box(column, row, 1, 1);
  for (const { column, row, kind, hits } of game.bricks) {
    context.fillStyle = colours[rules.bricks[kind].name];
    box(column + 0.05, row + 0.05, 0.9, 0.9);
    // A brick shows by lines how many more hits it takes.
    context.fillStyle = colours.ground;
    for (let line = 1; line < hits; line += 1) box(column + 0.15, row + 0.05 + (0.9 * line) / hits, 0.7, 0.05);
  }
  for (const { kind, x, y } of game.falling) {
    context.fillStyle = colours[rules.powerUps[kind].name];
    box(x - 0.25, y - 0.25, 0.5, 0.5);
  }
  const width = paddleWidth(rules, game);
  context.fillStyle = colours.paddle;
  box(game.paddle.x - width / 2, rows - paddleHeight, width, 0.4);
  context.fillStyle = colours.ball;
  context.beginPath();
  context.arc(game.ball.x * tilePx, game.ball.y * tilePx, ballRadius * tilePx, 0, Math.PI * 2);
  context.fill();
}
