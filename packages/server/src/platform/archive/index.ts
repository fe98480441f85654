export { packFolder } from "./pack-folder.ts";
export { unpackFolder } from "./unpack-folder.ts";
