import type { DeploymentTarget } from "../find-target.ts";
import { type ImageBuilder, whyNoImages } from "./image-builder.ts";
import type { KubernetesSettings } from "./kubernetes-settings.ts";

const names = ["kubernetes", "k8s"];

/** The operator's cluster. */
export function kubernetesTarget(
  settings: Pick<KubernetesSettings, "images">,
  builder: Pick<ImageBuilder, "whyMissing">,
): DeploymentTarget {
  return {
    ...{ name: "kubernetes", orchestrators: names, platforms: names, at: "kubernetes" },
    whyNot: () => whyNoImages(settings, builder),
  };
}
