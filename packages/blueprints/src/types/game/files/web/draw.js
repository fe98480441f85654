import { lightRadius } from "../engine/measures.js";
import { drawCollectible, drawHazard, drawObstacle, drawPlayer } from "./shapes.js";

/**
 * Draws a moment between two states on a canvas.
 *
 * @param {number} part how much of the tick has passed, from 0 to 1
 */
export function draw(context, rules, { before, game }, part) {
  const { columns, rows, tilePx } = rules.board;
  drawGround(context, rules);
  for (const obstacle of game.obstacles) drawObstacle(context, placed(rules, obstacle), rules.colours[obstacle.name]);
  for (const collectible of game.collectibles) {
    const glow = 0.75 + 0.25 * Math.sin((game.tick + part + collectible.column * 3 + collectible.row * 5) / 2);
    drawCollectible(context, placed(rules, collectible), rules.colours[collectible.name], glow);
  }
  for (const [index, hazard] of game.hazards.entries()) {
    const shown = placed(rules, between(before.hazards[index] ?? hazard, hazard, part));
    drawHazard(context, shown, rules.colours[hazard.name], hazard.facing);
  }
  const player = placed(rules, between(before.player, game.player, part));
  // Flickers while nothing can hurt the player.
  const isShown = game.player.safeTicks === 0 || game.tick % 2 === 0;
  if (isShown) drawPlayer(context, player, rules.colours[rules.player.name], game.player.facing);
  const radius = lightRadius(rules, game);
  if (radius !== undefined) drawDarkness(context, player, radius * tilePx, columns * tilePx, rows * tilePx);
}

/** Where something is between two tiles; what leaves the board on one side enters it on the other at once. */
export function between(from, to, part) {
  const isNear = Math.abs(from.column - to.column) + Math.abs(from.row - to.row) <= 2;
  if (!isNear) return to;
  return {
    column: from.column + (to.column - from.column) * part,
    row: from.row + (to.row - from.row) * part,
  };
}

function placed({ board: { tilePx } }, { column, row }) {
  return { x: (column + 0.5) * tilePx, y: (row + 0.5) * tilePx, size: tilePx };
}

function drawGround(context, { board: { columns, rows, tilePx }, colours }) {
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, columns * tilePx, rows * tilePx);
  context.strokeStyle = "rgba(255, 255, 255, 0.05)";
  context.lineWidth = 1;
  for (let row = 0; row < rows; row += 1) {
    for (let column = row % 2; column < columns; column += 2) {
      context.beginPath();
      context.arc((column + 0.5) * tilePx, (row + 0.8) * tilePx, tilePx * 0.4, Math.PI * 1.2, Math.PI * 1.8);
      context.stroke();
    }
  }
}

function drawDarkness(context, { x, y }, radius, width, height) {
  const shade = context.createRadialGradient(x, y, radius * 0.55, x, y, Math.max(radius, 1));
  shade.addColorStop(0, "rgba(4, 8, 16, 0)");
  shade.addColorStop(1, "rgba(4, 8, 16, 0.94)");
  context.fillStyle = shade;
  context.fillRect(0, 0, width, height);
}
