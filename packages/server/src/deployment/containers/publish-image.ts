import type { ResourceLimits } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { TemporaryFolders } from "../../platform/temporary-folders.ts";
import { buildImage } from "./build-image.ts";
import { chooseContainerfile, type FileSettings, whyNoContext } from "./choose-containerfile.ts";
import type { ContainerEngine } from "./find-engine.ts";
import { runEngine } from "./run-engine.ts";

/** An image that others fetch from a registry. */
export interface ImageToPublish {
  /** The release's folder: a checkout of the result, built already. */
  readonly folder: string;
  /** How its program starts: tells the language where no file does. */
  readonly command: string;
  /** The image's whole name, with registry and tag. */
  readonly image: string;
  /** Whether its registry is asked without TLS. */
  readonly isInsecure: boolean;
  /** Whoever will run it; its files are theirs. */
  readonly uid: number;
  readonly limits: ResourceLimits;
  /** Of building and sending it together. */
  readonly limitMs: number;
  /** What its program gets, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

interface Deps {
  readonly engine: ContainerEngine;
  readonly settings: FileSettings;
  readonly labels: Readonly<Record<string, string>>;
  readonly temporary: TemporaryFolders;
}

/** Builds an image and sends it to its registry; says why it could not. Nothing of it stays here. */
export async function publishImage(
  { engine, settings, labels, temporary }: Deps,
  { folder, command, image, isInsecure, uid, limits, limitMs, secrets, signal }: ImageToPublish,
): Promise<string | undefined> {
  const endsAtMs = performance.now() + limitMs;
  const file = await chooseContainerfile(settings, { folder, command, signal });
  if ("failure" in file) return file.failure;
  const reason = await whyNoContext(folder, ".", signal);
  if (reason !== undefined) return `The image cannot be built: ${reason}`;
  // Who runs it elsewhere has nothing to do with whoever runs the engine here.
  const built = await buildImage(
    { engine: { ...engine, isRootless: false }, temporary },
    {
      ...{ folder, containerfile: file.text, tag: image, labels, account: { uid, gid: uid }, limits, signal },
      ...{ limitMs, onOutput: () => undefined, masker: new Masker(Object.values(secrets)) },
    },
  );
  if ("failure" in built) return built.failure;
  try {
    // Docker asks what its daemon is told to ask without TLS.
    const flags = isInsecure && engine.kind === "podman" ? ["--tls-verify=false"] : [];
    const timeoutMs = endsAtMs - performance.now();
    const sent = await runEngine(engine.command, ["push", ...flags, image], { timeoutMs, signal });
    signal.throwIfAborted();
    return "failure" in sent ? `The image cannot be sent to its registry: ${sent.failure}` : undefined;
  } finally {
    await runEngine(engine.command, ["rmi", image]);
  }
}
