import type { Containers } from "../containers/index.ts";
import type { KubernetesSettings } from "./kubernetes-settings.ts";

/** Builds the image of a version and sends it to its registry. */
export type ImageBuilder = Pick<Containers, "whyMissing" | "publish">;

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
