/** Writes the page of the command line: `npm run generate`. */
import { writeFileSync } from "node:fs";
import { commandReference } from "./command-reference.ts";

writeFileSync(new URL("../../../docs/reference/command-line.md", import.meta.url), commandReference());
