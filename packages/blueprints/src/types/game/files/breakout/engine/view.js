/** What the player sees, in words: what is left to break, and where the ball is. */
export function describeBoard(_rules, { bricks, ball, paddle }) {
  const across = Math.round(ball.x - paddle.x);
  const side = across === 0 ? "above the paddle" : `${Math.abs(across)} to the ${across > 0 ? "right" : "left"} of the paddle`;
  return `${bricks.length} ${bricks.length === 1 ? "brick is" : "bricks are"} left. The ball is ${side}.`;
}
