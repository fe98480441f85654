/** An entry whose bytes have been written. */
export interface WrittenEntry extends EntryHead {
  readonly crc: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Where its local header begins. */
  readonly offset: number;
}

/** An entry before its bytes are known. */
export interface EntryHead {
  readonly name: Buffer;
  /** Unix mode: type and permissions. */
  readonly mode: number;
  readonly modified: Date;
  readonly isCompressed: boolean;
  /** Sizes take eight bytes instead of four (Zip64). */
  readonly isLarge: boolean;
}

/** The largest 32-bit value; it means that the real value is in the extra field. */
export const maxUint32 = 0xffffffff;

const version = { usual: 20, zip64: 45 };
const madeByUnix = 3 << 8;
/** `follows`: CRC and sizes come after the bytes. */
const flags = { utf8: 0x0800, follows: 0x0008 };

/** The header before an entry's bytes; without known sizes, a data descriptor must follow the bytes. */
export function localHeader(
  entry: EntryHead,
  known: Pick<WrittenEntry, "crc" | "compressedBytes" | "bytes"> | undefined,
) {
  const header = Buffer.alloc(30);
  const extra = Buffer.concat([
    entry.isLarge ? largeSizes(known?.bytes ?? 0, known?.compressedBytes ?? 0) : empty,
    timestamp(entry),
  ]);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(entry.isLarge ? version.zip64 : version.usual, 4);
  writeCommon(header, 6, entry, known === undefined);
  header.writeUInt32LE(known?.crc ?? 0, 14);
  header.writeUInt32LE(entry.isLarge ? maxUint32 : (known?.compressedBytes ?? 0), 18);
  header.writeUInt32LE(entry.isLarge ? maxUint32 : (known?.bytes ?? 0), 22);
  header.writeUInt16LE(entry.name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, entry.name, extra]);
}

/** CRC and sizes after an entry's bytes, where its header has none. */
export function dataDescriptor({ isLarge, crc, compressedBytes, bytes }: Omit<WrittenEntry, "offset">): Buffer {
  const descriptor = Buffer.alloc(isLarge ? 24 : 16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  if (isLarge) {
    descriptor.writeBigUInt64LE(BigInt(compressedBytes), 8);
    descriptor.writeBigUInt64LE(BigInt(bytes), 16);
  } else {
    descriptor.writeUInt32LE(compressedBytes, 8);
    descriptor.writeUInt32LE(bytes, 12);
  }
  return descriptor;
}

/** An entry of the central directory. */
export function directoryEntry(entry: WrittenEntry & { readonly hasDescriptor: boolean }): Buffer {
  const { name, mode, crc, compressedBytes, bytes, offset, isLarge } = entry;
  const isFar = offset >= maxUint32;
  const numbers = [...(isLarge ? [bytes, compressedBytes] : []), ...(isFar ? [offset] : [])];
  const extra = Buffer.concat([
    numbers.length > 0 ? extraField(1, ...numbers.map(eightBytes)) : empty,
    timestamp(entry),
  ]);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(madeByUnix | version.zip64, 4);
  header.writeUInt16LE(isLarge || isFar ? version.zip64 : version.usual, 6);
  writeCommon(header, 8, entry, entry.hasDescriptor);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(isLarge ? maxUint32 : compressedBytes, 20);
  header.writeUInt32LE(isLarge ? maxUint32 : bytes, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE((mode << 16) >>> 0, 38);
  header.writeUInt32LE(isFar ? maxUint32 : offset, 42);
  return Buffer.concat([header, name, extra]);
}

/** The last records, which locate the central directory. */
export function endOfDirectory({ entries, bytes, offset }: { entries: number; bytes: number; offset: number }): Buffer {
  const isLarge = entries >= 0xffff || bytes >= maxUint32 || offset >= maxUint32;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(isLarge ? 0xffff : entries, 8);
  end.writeUInt16LE(isLarge ? 0xffff : entries, 10);
  end.writeUInt32LE(isLarge ? maxUint32 : bytes, 12);
  end.writeUInt32LE(isLarge ? maxUint32 : offset, 16);
  if (!isLarge) return end;
  const large = Buffer.alloc(56);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(madeByUnix | version.zip64, 12);
  large.writeUInt16LE(version.zip64, 14);
  large.writeBigUInt64LE(BigInt(entries), 24);
  large.writeBigUInt64LE(BigInt(entries), 32);
  large.writeBigUInt64LE(BigInt(bytes), 40);
  large.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + bytes), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([large, locator, end]);
}

const empty = Buffer.alloc(0);

function writeCommon(header: Buffer, at: number, { isCompressed, modified }: EntryHead, hasDescriptor: boolean): void {
  const { time, date } = dosTime(modified);
  header.writeUInt16LE(flags.utf8 | (hasDescriptor ? flags.follows : 0), at);
  header.writeUInt16LE(isCompressed ? 8 : 0, at + 2);
  header.writeUInt16LE(time, at + 4);
  header.writeUInt16LE(date, at + 6);
}

/** In UTC, so that equal files give equal bytes on every machine; the extra field has the exact second. */
function dosTime(modified: Date): { time: number; date: number } {
  const years = modified.getUTCFullYear() - 1980;
  if (years < 0) return { time: 0, date: (1 << 5) | 1 };
  return {
    time: (modified.getUTCHours() << 11) | (modified.getUTCMinutes() << 5) | (modified.getUTCSeconds() >> 1),
    date: (Math.min(years, 127) << 9) | ((modified.getUTCMonth() + 1) << 5) | modified.getUTCDate(),
  };
}

/** Info-ZIP's extended timestamp: Unix seconds of the last change. */
function timestamp({ modified }: EntryHead): Buffer {
  const value = Buffer.alloc(5);
  value.writeUInt8(1, 0);
  value.writeInt32LE(Math.min(Math.floor(modified.getTime() / 1000), 0x7fffffff), 1);
  return extraField(0x5455, value);
}

function largeSizes(bytes: number, compressedBytes: number): Buffer {
  return extraField(1, eightBytes(bytes), eightBytes(compressedBytes));
}

function extraField(id: number, ...values: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(
    values.reduce((sum, { length }) => sum + length, 0),
    2,
  );
  return Buffer.concat([head, ...values]);
}

function eightBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
