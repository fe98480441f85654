/** The block size of tar archives. */
export const blockBytes = 512;

/** The type of an entry; a pax header describes the entry that follows. */
export const kinds = { file: "0", hardLink: "1", link: "2", folder: "5", pax: "x" } as const;

/** The header of a tar entry. */
export interface TarHeader {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly kind: string;
  readonly target: string;
}

/** Writes a header without owner and times, so that equal files give equal bytes. */
export function writeHeader({ path, mode, size, kind, target }: TarHeader): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.write(path, 0, 100);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write(kind, 156);
  block.write(target, 157, 100);
  block.write("ustar\u000000", 257);
  block.write(octal(sumOf(block), 6), 148);
  block.write("\0 ", 154);
  return block;
}

/** The padding after an entry's content, up to the next block. */
export function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

/** The checksum: the sum of all bytes, with its own field counted as spaces. */
function sumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte;
  return sum;
}
