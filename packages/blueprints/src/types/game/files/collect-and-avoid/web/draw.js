import { lightRadius } from "../engine/light.js";
import { between, drawPowerUps, placed } from "./grid.js";
import { drawCollectible, drawHazard, drawObstacle, drawPlayer } from "./shapes.js";

/**
 * Draws a moment between two states on a canvas.
 *
 * @param {{ part: number, isCalm: boolean }} how how much of the step has passed, from 0 to 1, and whether nothing may
 *   pulse or flicker
 */
export function draw(context, rules, { before, game }, { part, isCalm }) {
  const { columns, rows, tilePx } = rules.board;
  drawGround(context, rules);
  for (const obstacle of game.obstacles) drawObstacle(context, placed(rules, obstacle), rules.colours[obstacle.name]);
  for (const collectible of game.collectibles) {
    const glow = isCalm ? 1 : 0.75 + 0.25 * Math.sin((game.tick + part + collectible.column * 3 + collectible.row * 5) / 2);
    drawCollectible(context, placed(rules, collectible), rules.colours[collectible.name], glow);
  }
  drawPowerUps(context, rules, game);
  for (const [index, hazard] of game.hazards.entries()) {
    const shown = placed(rules, between(before.hazards[index] ?? hazard, hazard, part));
    drawHazard(context, shown, rules.colours[hazard.name], hazard.facing);
  }
  const player = placed(rules, between(before.player, game.player, part));
  // Flickers while nothing can hurt the player.
  const isShown = isCalm || game.player.safeSteps === 0 || game.tick % 2 === 0;
  if (isShown) drawPlayer(context, player, rules.colours[rules.player.name], game.player.facing);
  const radius = lightRadius(rules, game);
  if (radius !== undefined) drawDarkness(context, player, radius * tilePx, columns * tilePx, rows * tilePx);
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
