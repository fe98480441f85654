import { posix } from "node:path";
import { writeProjectFile } from "../../platform/project-files/index.ts";
import { freePlace } from "./read-result.ts";
import type { ReleaseToPublish } from "./release.ts";

interface Wrapper {
  readonly name: string;
  /** The last line of the script; `$here` is the release's folder. */
  readonly program: string;
}

/**
 * Writes an executable script that starts a program of the release wherever it is called from, also through a link on
 * the PATH. Returns its path: in `bin`, unless the result has something of this name there.
 */
export async function writeWrapper(release: ReleaseToPublish, { name, program }: Wrapper): Promise<string> {
  const path = await freePlace(release, `bin/${name}`);
  const up = posix.dirname(path).replaceAll(/[^/]+/g, "..");
  const lines = [
    "#!/bin/sh",
    `here=$(CDPATH= cd -- "$(dirname -- "$(readlink -f -- "$0")")/${up}" && pwd -P) || exit 126`,
    program,
    "",
  ];
  await writeProjectFile(release.folder, path, lines.join("\n"), { isExecutable: true, signal: release.signal });
  return path;
}
