import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { readProjectFile, writeProjectFile } from "../../platform/project-files/index.ts";
import { SecretFinder } from "../../platform/secrets/index.ts";
import { bounded, maxPackedBytes, secretFound } from "./pack-archive.ts";
import { freePlace, namesIn } from "./read-result.ts";
import type { PublishFailure, ReleaseToPublish } from "./release.ts";

interface PackageToTake {
  /** The folder in which the packer left it. */
  readonly from: string;
  readonly ending: ".tgz" | ".whl";
  /** Its name in the release; undefined for a name that we do not accept. */
  readonly as: (name: string) => string | undefined;
}

/** Takes the one file that a packer made to the top of the release, unless the result has a file of its name there. */
export async function takePackage(
  release: ReleaseToPublish,
  { from, ending, as }: PackageToTake,
): Promise<{ readonly path: string } | PublishFailure> {
  const { folder, signal, secrets = {} } = release;
  const [name, ...others] = (await namesIn(release, from, "file")).filter((one) => one.endsWith(ending));
  const wanted = name === undefined ? undefined : as(name);
  if (wanted === undefined || others.length > 0)
    return { failure: `Packing must make one file that ends with ${ending} and has a plain name.`, output: "" };
  const path = await freePlace(release, wanted);
  const bytes = await readProjectFile(folder, `${from}/${name}`, { maxBytes: maxPackedBytes, signal });
  const finder = new SecretFinder(Object.values(secrets));
  if (!finder.isIdle) {
    const content = Readable.from([bytes]);
    const plain = ending === ".tgz" ? content.pipe(createGunzip()) : content;
    if ((await finder.findIn(bounded(plain, path, signal))).size > 0) return secretFound;
  }
  await writeProjectFile(folder, path, bytes, { signal, isExecutable: false });
  return { path };
}
