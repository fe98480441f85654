import { rulesOf } from "../engine/game.js";
import { paddleWidth } from "../engine/step-level.js";

/** A player who stays below the ball, and meets it off the middle to send it towards a brick that is left. */
export function carefulPlayer() {
  return (rules, state) => {
    const { ball, paddle, bricks, tick } = state;
    const half = paddleWidth(rulesOf(rules, state.level), state) / 2;
    const away = ball.x - aim(bricks, ball, tick) * half - paddle.x;
    if (Math.abs(away) < 0.15) return tick % 60 === 0 ? "up" : null;
    return away > 0 ? "right" : "left";
  };
}

/** How far off the middle to meet the ball, from -1 to 1. Every other time by a swing, so that no course repeats for ever. */
function aim(bricks, ball, tick) {
  const turn = Math.floor(tick / 240);
  const target = bricks[turn % Math.max(1, bricks.length)];
  if (turn % 2 === 1 || target === undefined) return Math.sin(tick / 97) * 0.8;
  return Math.max(-0.6, Math.min(0.6, (target.column + 0.5 - ball.x) / 6));
}
