import type { DeploymentTarget } from "../find-target.ts";
import { type ImageBuilder, whyNoImages } from "./image-builder.ts";
import type { KubernetesSettings } from "./kubernetes-settings.ts";

const names = ["kubernetes", "k8s"];

/** The operator's cluster. */
export function kubernetesTarget(
  { images }: Pick<KubernetesSettings, "images">,
  builder: ImageBuilder | undefined,
): DeploymentTarget {
  return {
    ...{ name: "kubernetes", orchestrators: names, platforms: names, at: "kubernetes" },
    whyNot: async () => whyNoImages(images, builder),
  };
}
