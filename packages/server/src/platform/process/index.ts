export { processExists } from "./process-exists.ts";
