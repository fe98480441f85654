export { Masker } from "./masker.ts";
