export { type ImageBuilder, whyNoImages } from "./image-builder.ts";
export { kubernetesLink } from "./kubernetes-link.ts";
export { type KubernetesSettings, readKubernetesSettings } from "./kubernetes-settings.ts";
