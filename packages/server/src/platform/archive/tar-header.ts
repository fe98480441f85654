/** An archive is made of blocks of so many bytes. */
export const blockBytes = 512;

/** What an entry is: an ordinary file, a symbolic link, a folder, or words about the entry that follows. */
export const kinds = { file: "0", link: "2", folder: "5", words: "x", wordsForAll: "g" } as const;

/** What stands before an entry of a tar archive. */
export interface TarHeader {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly kind: string;
  readonly target: string;
}

/** Writes a header; the same for the same values, whoever the files belong to and whenever they were written. */
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

/** Reads a header; nothing where the archive ends. */
export function readHeader(block: Buffer): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (sumOf(block) !== numberIn(block, 148, 8)) throw new Error("This is no tar archive, or it is broken.");
  const prefix = textIn(block, 345, 155);
  const name = textIn(block, 0, 100);
  return {
    path: prefix === "" ? name : `${prefix}/${name}`,
    mode: numberIn(block, 100, 8),
    size: numberIn(block, 124, 12),
    kind: textIn(block, 156, 1) || kinds.file,
    target: textIn(block, 157, 100),
  };
}

/** How many bytes follow an entry's content, up to the next block. */
export function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

/** Of all bytes, its own counted as spaces. */
function sumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte;
  return sum;
}

function textIn(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? length : end);
}

function numberIn(block: Buffer, start: number, length: number): number {
  return Number.parseInt(textIn(block, start, length).trim() || "0", 8);
}
