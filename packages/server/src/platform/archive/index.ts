export type { LeftOut } from "./left-out.ts";
export { packEntries } from "./pack-entries.ts";
export { packFolder } from "./pack-folder.ts";
export { packLiveFolder } from "./pack-live-folder.ts";
export { unpackFolder } from "./unpack-folder.ts";
