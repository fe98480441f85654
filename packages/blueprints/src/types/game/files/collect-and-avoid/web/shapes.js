const turns = { right: 0, down: Math.PI / 2, left: Math.PI, up: -Math.PI / 2 };

export function drawObstacle(context, { x, y, size }, colour) {
  context.strokeStyle = colour;
  context.lineCap = "round";
  context.lineWidth = size / 9;
  for (const [lean, height] of [[-0.3, 0.6], [-0.12, 0.85], [0.08, 0.7], [0.28, 0.9]]) {
    context.beginPath();
    context.moveTo(x + lean * size * 0.6, y + size * 0.4);
    context.quadraticCurveTo(x + lean * size * 0.7, y, x + lean * size * 1.2, y + size * (0.45 - height));
    context.stroke();
  }
}

export function drawCollectible(context, { x, y, size }, colour, glow) {
  const halo = context.createRadialGradient(x, y, 0, x, y, size * 0.5 * glow);
  halo.addColorStop(0, colour);
  halo.addColorStop(1, "rgba(255, 255, 255, 0)");
  context.fillStyle = halo;
  disc(context, x, y, size * 0.5 * glow);
  context.fillStyle = colour;
  disc(context, x, y, size * 0.12);
}

export function drawHazard(context, { x, y, size }, colour, facing) {
  turned(context, x, y, facing, () => {
    context.fillStyle = colour;
    context.beginPath();
    context.ellipse(-size * 0.08, 0, size * 0.32, size * 0.22, 0, 0, Math.PI * 2);
    context.fill();
    disc(context, size * 0.22, 0, size * 0.13);
    context.beginPath();
    context.moveTo(size * 0.32, -size * 0.06);
    context.lineTo(size * 0.52, 0);
    context.lineTo(size * 0.32, size * 0.06);
    context.fill();
    context.fillStyle = "#10151d";
    disc(context, size * 0.25, -size * 0.05, size * 0.03);
  });
}

export function drawPlayer(context, { x, y, size }, colour, facing) {
  turned(context, x, y, facing, () => {
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(size * 0.45, 0);
    context.quadraticCurveTo(size * 0.15, size * 0.34, -size * 0.38, size * 0.2);
    context.lineTo(-size * 0.38, -size * 0.2);
    context.quadraticCurveTo(size * 0.15, -size * 0.34, size * 0.45, 0);
    context.fill();
    context.fillStyle = "rgba(0, 0, 0, 0.35)";
    context.beginPath();
    context.ellipse(-size * 0.04, 0, size * 0.26, size * 0.13, 0, 0, Math.PI * 2);
    context.fill();
    context.fillStyle = "#fff3c4";
    disc(context, size * 0.12, 0, size * 0.08);
  });
}

function disc(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.fill();
}

function turned(context, x, y, facing, drawing) {
  context.save();
  context.translate(x, y);
  context.rotate(turns[facing] ?? 0);
  drawing();
  context.restore();
}
