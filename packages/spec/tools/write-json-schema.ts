/** Writes the document's JSON Schema to where editors find it: `npm run generate`. */
import { writeFileSync } from "node:fs";
import { specJsonSchema } from "../src/index.ts";

const file = new URL("../spec.schema.json", import.meta.url);
writeFileSync(file, `${JSON.stringify(specJsonSchema(), null, 2)}\n`);
