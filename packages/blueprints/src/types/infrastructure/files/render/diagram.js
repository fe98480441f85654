const box = { width: 170, height: 64, gapX: 90, gapY: 30, margin: 40 };

/** The services and who calls whom, from left to right, as an SVG. */
export function diagram({ name, services }) {
  const places = placesOf(services);
  const width = Math.max(0, ...[...places.values()].map(({ x }) => x)) + box.width + box.margin;
  const height = Math.max(0, ...[...places.values()].map(({ y }) => y)) + box.height + box.margin;
  const arrows = services.flatMap((service) =>
    service.dependencies.map((other) => arrow(places.get(service.name), places.get(other))),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif">`,
    `  <title>${xml(`The services of ${name}`)}</title>`,
    '  <defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">',
    '    <path d="M0 0 L8 4 L0 8 Z" fill="#51606f"/></marker></defs>',
    `  <rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...arrows,
    ...services.map((service) => serviceBox(service, places.get(service.name))),
    "</svg>",
    "",
  ].join("\n");
}

/** Who calls stands to the left of whom it calls, and as near as can be. */
function placesOf(services) {
  const depths = new Map();
  const depthOf = (name) => {
    if (!depths.has(name)) {
      const { dependencies } = services.find((service) => service.name === name);
      depths.set(name, Math.max(0, ...dependencies.map((other) => 1 + depthOf(other))));
    }
    return depths.get(name);
  };
  const deepest = Math.max(0, ...services.map(({ name }) => depthOf(name)));
  const rows = new Map();
  return new Map(
    services.map(({ name }) => {
      const column = deepest - depthOf(name);
      const row = rows.get(column) ?? 0;
      rows.set(column, row + 1);
      const x = box.margin + column * (box.width + box.gapX);
      return [name, { x, y: box.margin + row * (box.height + box.gapY) }];
    }),
  );
}

function arrow(from, to) {
  const [x1, y1] = [from.x + box.width, from.y + box.height / 2];
  const [x2, y2] = [to.x, to.y + box.height / 2];
  const bend = (x1 + x2) / 2;
  return `  <path d="M${x1} ${y1} C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}" fill="none" stroke="#51606f" stroke-width="1.5" marker-end="url(#tip)"/>`;
}

function serviceBox({ name, image, isPublic }, { x, y }) {
  const [fill, stroke] = isPublic ? ["#e3f0ff", "#2463a8"] : ["#f3f5f7", "#7a8794"];
  return [
    `  <rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="8" fill="${fill}" stroke="${stroke}"/>`,
    `  <text x="${x + box.width / 2}" y="${y + 27}" text-anchor="middle" font-size="15" font-weight="600">${xml(short(name, 18))}</text>`,
    `  <text x="${x + box.width / 2}" y="${y + 47}" text-anchor="middle" font-size="11" fill="#51606f">${xml(short(image.split("/").at(-1), 26))}</text>`,
  ].join("\n");
}

function short(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function xml(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
