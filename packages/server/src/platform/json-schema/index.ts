export { createAjv } from "./create-ajv.ts";
export { whyNotMatching } from "./match-schema.ts";
