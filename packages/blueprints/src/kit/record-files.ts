import { staticFiles } from "./static-files.ts";

/** What checks and computes records in a generated program, in a browser as well as in Node. */
export const recordFiles = staticFiles(new URL("./files/records/", import.meta.url));
