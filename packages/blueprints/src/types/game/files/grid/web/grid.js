/** Where something is between two tiles; what leaves the board on one side enters it on the other at once. */
export function between(from, to, part) {
  const isNear = Math.abs(from.column - to.column) + Math.abs(from.row - to.row) <= 2;
  if (!isNear) return to;
  return {
    column: from.column + (to.column - from.column) * part,
    row: from.row + (to.row - from.row) * part,
  };
}

/** The middle and size of a tile on the canvas. */
export function placed({ board: { tilePx } }, { column, row }) {
  return { x: (column + 0.5) * tilePx, y: (row + 0.5) * tilePx, size: tilePx };
}

/** What helps: a diamond, so that it differs from all else by its shape, too. */
export function drawPowerUps(context, rules, { lying }) {
  for (const one of lying) {
    const { x, y, size } = placed(rules, one);
    context.fillStyle = rules.colours[rules.powerUps[one.kind].name];
    context.beginPath();
    context.moveTo(x, y - size * 0.4);
    context.lineTo(x + size * 0.4, y);
    context.lineTo(x, y + size * 0.4);
    context.lineTo(x - size * 0.4, y);
    context.fill();
  }
}
