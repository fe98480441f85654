import { channelsOf, mix, onColour } from "./colour.ts";
import { strokesOf } from "./letter-strokes.ts";
import { encodePng, type Shade } from "./png.ts";

interface Icon {
  /** In pixels. */
  readonly size: number;
  readonly letter: string;
  readonly colour: string;
  /** For systems that crop icons: the colour fills the square, and the letter stays away from the edges. */
  readonly isMaskable: boolean;
}

const levels = 32;

/** An app icon as PNG: a letter on a square, with round corners unless maskable. */
export function appIcon({ size, letter, colour, isMaskable }: Icon): Uint8Array {
  const pixels = new Uint8Array(size * size).fill(levels);
  if (!isMaskable) cutCorners(pixels, size);
  const height = size * (isMaskable ? 0.4 : 0.52);
  write(pixels, size, letter, { height, radius: height * 0.085 });
  return encodePng(size, pixels, shadesOf(colour));
}

/** The palette: from transparent to the colour, then from the colour to that of the letter. */
function shadesOf(colour: string): readonly Shade[] {
  const steps = Array.from({ length: levels + 1 }, (_, step) => step / levels);
  const shade = (text: string, alpha: number): Shade => {
    const [red, green, blue] = channelsOf(text);
    return [red!, green!, blue!, Math.round(alpha * 255)];
  };
  return [
    ...steps.map((alpha) => shade(colour, alpha)),
    ...steps.slice(1).map((share) => shade(mix(colour, onColour(colour), share), 1)),
  ];
}

function cutCorners(pixels: Uint8Array, size: number): void {
  const radius = size * 0.22;
  const reach = Math.ceil(radius);
  for (let y = 0; y < reach; y += 1)
    for (let x = 0; x < reach; x += 1) {
      const outside = Math.sqrt((radius - x - 0.5) ** 2 + (radius - y - 0.5) ** 2) - radius;
      const level = Math.round(levels * Math.min(1, Math.max(0, 0.5 - outside)));
      for (const row of [y, size - 1 - y]) for (const column of [x, size - 1 - x]) pixels[row * size + column] = level;
    }
}

function write(pixels: Uint8Array, size: number, letter: string, pen: { height: number; radius: number }): void {
  const { height, radius } = pen;
  for (const [from, to] of strokesOf(letter)) {
    const [x1, y1, x2, y2] = [...from, ...to].map((part) => size / 2 + part * height) as [
      number,
      number,
      number,
      number,
    ];
    const [dx, dy] = [x2 - x1, y2 - y1];
    const length = dx * dx + dy * dy;
    const bottom = Math.ceil(Math.max(y1, y2) + radius + 1);
    const right = Math.ceil(Math.max(x1, x2) + radius + 1);
    for (let y = Math.floor(Math.min(y1, y2) - radius - 1); y < bottom; y += 1)
      for (let x = Math.floor(Math.min(x1, x2) - radius - 1); x < right; x += 1) {
        const px = x + 0.5 - x1;
        const py = y + 0.5 - y1;
        const along = Math.min(1, Math.max(0, (px * dx + py * dy) / length));
        // Math.hypot takes ten times as long.
        const distance = Math.sqrt((px - along * dx) ** 2 + (py - along * dy) ** 2);
        const level = levels + Math.round(levels * Math.min(1, Math.max(0, radius + 0.5 - distance)));
        const at = y * size + x;
        if (level > pixels[at]!) pixels[at] = level;
      }
  }
}
