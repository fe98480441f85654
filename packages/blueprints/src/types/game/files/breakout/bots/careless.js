/** A player who loses on purpose: keeps away from the ball. */
export function carelessPlayer() {
  return (rules, { ball }) => (ball.x < rules.board.columns / 2 ? "right" : "left");
}
