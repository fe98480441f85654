import { crc32, deflateSync } from "node:zlib";

/** A colour of the palette: red, green, blue and opacity, from 0 to 255. */
export type Shade = readonly [red: number, green: number, blue: number, alpha: number];

/** Encodes a square image as PNG; each pixel is an index into the palette. The same pixels give the same bytes. */
export function encodePng(size: number, pixels: Uint8Array, shades: readonly Shade[]): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits per pixel, indexed.
  header.set([8, 3, 0, 0, 0], 8);
  // Every line starts with its filter type: none.
  const lines = Buffer.alloc((size + 1) * size);
  for (let row = 0; row < size; row += 1)
    lines.set(pixels.subarray(row * size, (row + 1) * size), row * (size + 1) + 1);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(shades.flatMap((shade) => shade.slice(0, 3)))),
    chunk("tRNS", Buffer.from(shades.map(([, , , alpha]) => alpha))),
    chunk("IDAT", deflateSync(lines, { level: 6 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
