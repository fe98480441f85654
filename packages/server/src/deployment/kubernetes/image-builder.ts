/** Builds the image of a version and sends it to its registry. */
export interface ImageBuilder {
  /** Says why it could not; undefined if the image is there. */
  build(request: ImageToBuild): Promise<string | undefined>;
}

interface ImageToBuild {
  /** The release's folder: a checkout of the result, built already. */
  readonly folder: string;
  /** The image's whole name, with registry and tag. */
  readonly image: string;
  readonly signal: AbortSignal | undefined;
}

/** Why no version can go to the cluster as things are; undefined if it can. */
export function whyNoImages(images: "build" | "given", builder: ImageBuilder | undefined): string | undefined {
  if (images === "given" || builder !== undefined) return undefined;
  return "No container engine here builds images. Install podman, or push images yourself and set 'images: given' under 'kubernetes' in the config file.";
}
