import { open, readdir } from "node:fs/promises";
import { waitingRead } from "./waiting-reads.ts";

interface MappedFile {
  /** Leads to the very file, whatever its name leads to. */
  readonly path: string;
  /** What it was called, as far as that matters; left out where nobody has asked. */
  readonly target?: string;
}

const chunkBytes = 64 * 1024;
/** The kernel tells the name of each mapping in full, and there may be 65,530. Programs need a tenth of this. */
const maxListBytes = 16 << 20;
/** Addresses and numbers stand at the beginning of a line, and whether the file is deleted at its end. */
const maxLineChars = 4096;
const lineStartChars = 256;
const lineEndChars = 32;

/** Addresses, device with inode, and name, in which the kernel escapes line feeds alone. */
const deletedMapping = /^0*([0-9a-f]+)-0*([0-9a-f]+) \S+ \S+ (\S+ \d+) +(\/.* \(deleted\))$/s;

/** How many mappings a process has, also of memory that is no file's, and whether any may be of a file without a name. */
export async function countMappings(pid: number): Promise<{ readonly count: number; readonly hasDeleted: boolean }> {
  const list = `/proc/${pid}/maps`;
  let count = 0;
  let hasDeleted = false;
  const onLine = (line: string) => {
    count += 1;
    hasDeleted ||= line.endsWith(" (deleted)");
  };
  const isWhole = await waitingRead(list, () => readLines(list, onLine)).catch(() => true);
  return { count, hasDeleted: hasDeleted || !isWhole };
}

/**
 * Files without a name that a process maps. A mapping holds a file that is closed, and also what of it was never read through
 * the mapping.
 */
export async function deletedMappings(pid: number): Promise<readonly MappedFile[]> {
  const folder = `/proc/${pid}/map_files`;
  const found = new Map<string, MappedFile>();
  const onLine = (line: string) => {
    const [, start, end, file, target] = deletedMapping.exec(line) ?? [];
    if (file !== undefined) found.set(file, { path: `${folder}/${start}-${end}`, target: target! });
  };
  const list = `/proc/${pid}/maps`;
  const isWhole = await waitingRead(list, () => readLines(list, onLine)).catch(() => true);
  if (isWhole) return [...found.values()];
  // This list has no names.
  const names = await waitingRead(folder, () => readdir(folder)).catch(() => []);
  return names.map((name) => ({ path: `${folder}/${name}` }));
}

/** Reads the lines of a list, of long ones the beginning and the end; false where it is too long. */
async function readLines(path: string, onLine: (line: string) => void): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return true;
  try {
    const buffer = Buffer.alloc(chunkBytes);
    let rest = "";
    for (let read = 0; read <= maxListBytes; ) {
      const { bytesRead } = await file.read(buffer, 0, chunkBytes);
      if (bytesRead === 0) return true;
      read += bytesRead;
      const lines = (rest + buffer.toString("latin1", 0, bytesRead)).split("\n").map(shorten);
      rest = lines.pop()!;
      for (const line of lines) onLine(line);
    }
    return false;
  } catch {
    // The process has ended meanwhile.
    return true;
  } finally {
    await file.close().catch(() => undefined);
  }
}

function shorten(line: string): string {
  return line.length <= maxLineChars ? line : line.slice(0, lineStartChars) + line.slice(-lineEndChars);
}
