export { type ZipEntry, zipStream } from "./zip-stream.ts";
