import type { KubernetesSettings } from "./kubernetes-settings.ts";

/** Builds the image of a version and sends it to its registry. */
export interface ImageBuilder {
  /** Why it can build none; undefined if it can. */
  whyMissing(): Promise<string | undefined>;
  /** Says why it could not; undefined if the image is there. */
  publish(image: ImageToPublish): Promise<string | undefined>;
}

interface ImageToPublish {
  /** The release's folder: a checkout of the result, built already. */
  readonly folder: string;
  /** How the version starts. */
  readonly command: string;
  /** The image's whole name, with registry and tag. */
  readonly image: string;
  readonly isInsecure: boolean;
  /** Whoever will run it. */
  readonly uid: number;
  readonly memoryBytes: number;
  readonly signal: AbortSignal;
}

/** Why no version can go to the cluster as things are; undefined if it can. */
export async function whyNoImages(
  { images }: Pick<KubernetesSettings, "images">,
  builder: Pick<ImageBuilder, "whyMissing">,
): Promise<string | undefined> {
  if (images === "given") return undefined;
  const missing = await builder.whyMissing();
  if (missing === undefined) return undefined;
  return `${missing} Or push images yourself and set 'images: given' under 'kubernetes' in the config file.`;
}
