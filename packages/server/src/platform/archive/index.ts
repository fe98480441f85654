export { packFolder } from "./pack-folder.ts";
export { type LeftOut, packLiveFolder } from "./pack-live-folder.ts";
export { unpackFolder } from "./unpack-folder.ts";
