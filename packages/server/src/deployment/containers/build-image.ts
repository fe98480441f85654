import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResourceLimits } from "../../platform/sandbox/index.ts";
import type { Masker } from "../../platform/secrets/index.ts";
import type { TemporaryFolders } from "../../platform/temporary-folders.ts";
import { ignoredIn } from "./choose-containerfile.ts";
import type { ContainerEngine } from "./find-engine.ts";
import { buildLimitArguments } from "./run-arguments.ts";
import { runEngine } from "./run-engine.ts";

/** What a build prints has to be masked and kept: no honest one prints as much. */
const outputBytes = 16 << 20;
const outputBytesPerSecond = 2 << 20;

interface ImageToBuild {
  /** The only folder that it can take files from. */
  readonly folder: string;
  readonly containerfile: string;
  readonly tag: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Whoever will run it. */
  readonly account: { readonly uid: number; readonly gid: number };
  /** As other programs of the project have them; there is no way to limit disk, but for the last of it. */
  readonly limits: ResourceLimits;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
  /** Takes secrets that files of the release may hold out of why it failed. */
  readonly masker: Pick<Masker, "maskEnd">;
}

/** Builds an image from the files of a release; gives its id, or says why not. */
export async function buildImage(
  { engine, temporary }: { readonly engine: ContainerEngine; readonly temporary: TemporaryFolders },
  { folder, containerfile, tag, labels, account, limits, limitMs, signal, onOutput, masker }: ImageToBuild,
): Promise<{ readonly id: string } | { readonly failure: string }> {
  const { command, kind, isRootless, storage } = engine;
  // Copies: a project's file may be exchanged for one that is never read to its end.
  const place = await temporary.make("image");
  const file = join(place, "Containerfile");
  // Docker takes it by this name.
  const ignoreFile = `${file}.dockerignore`;
  const idFile = join(place, "id");
  const { uid, gid } = isRootless ? { uid: 0, gid: 0 } : account;
  try {
    await writeFile(file, containerfile);
    await writeFile(ignoreFile, await ignoredIn(folder, engine, signal));
    const args = [
      ...["build", "--file", file, "--tag", tag, "--iidfile", idFile],
      ...Object.entries(labels).flatMap(([name, value]) => ["--label", `${name}=${value}`]),
      ...["--build-arg", `SLIPWAY_UID=${uid}`, "--build-arg", `SLIPWAY_GID=${gid}`],
      ...buildLimitArguments(engine, limits),
      // Docker's builder keeps no layers that nobody asks for.
      ...(kind === "podman" ? ["--layers=false", "--ignorefile", ignoreFile] : []),
      folder,
    ];
    const cleansUp = kind === "podman";
    const { memoryBytes, processes } = limits;
    const built = await runEngine(command, args, {
      ...{ timeoutMs: limitMs, signal, cleansUp, onOutput, masker },
      limits: { who: "The build", memoryBytes, processes, storage, outputBytes, outputBytesPerSecond },
    });
    signal.throwIfAborted();
    if ("failure" in built) return { failure: `The image cannot be built: ${built.failure}` };
    return { id: (await readFile(idFile, "utf8")).trim() };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
