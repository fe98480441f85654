export { currentFolder, pointCurrent, prepareCurrent, removeUnusedCurrents } from "./point-current.ts";
export { isServer, publishRelease } from "./publish-release.ts";
export type { PublishedRelease, PublishFailure } from "./release.ts";
