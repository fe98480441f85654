export { kubernetesLink } from "./kubernetes-link.ts";
export { type KubernetesSettings, readKubernetesSettings } from "./kubernetes-settings.ts";
export { kubernetesTarget } from "./kubernetes-target.ts";
