import { stat } from "node:fs/promises";
import { diskCalls } from "./disk-room.ts";

/** A disk that answers does so much sooner. */
export const maxLookMs = 1_000;
/** More are not looked at here. */
const maxLooked = 500;

interface OpenFile {
  readonly path: string;
  /** Unknown where nobody has looked. */
  readonly device?: number;
}

/** The streams of a program are pipes that have no name any more: they take up nothing. */
export async function withoutPipes(openFiles: readonly string[], signal: AbortSignal): Promise<readonly OpenFile[]> {
  const all = openFiles.map((path) => ({ path }));
  if (openFiles.length === 0 || openFiles.length > maxLooked || signal.aborted) return all;
  const look = async () => {
    const kept: OpenFile[] = [];
    for (const path of openFiles) {
      const found = await stat(path).catch(() => undefined);
      if (!found?.isFIFO()) kept.push({ path, ...(found && { device: found.dev }) });
    }
    return kept;
  };
  return diskCalls.run(look, { path: openFiles[0]!, signal, limitMs: maxLookMs }).catch(() => all);
}

interface Place {
  readonly device: number;
  /** Unlike that of any folder which takes its name later. */
  readonly identity: string;
}

/** As far as the disks answer. One after another: a disk that does not answer must not hold more than one thread. */
export async function placesOf(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Place>> {
  const places = new Map<string, Place>();
  const look = async () => {
    for (const path of paths) {
      const found = await stat(path).catch(() => undefined);
      if (found === undefined) continue;
      const { dev, ino, birthtimeMs } = found;
      places.set(path, { device: dev, identity: `${dev} ${ino} ${birthtimeMs}` });
    }
  };
  await diskCalls.run(look, { path: paths[0]!, signal, limitMs: maxLookMs }).catch(() => undefined);
  return new Map(places);
}
