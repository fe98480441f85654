/** Writes the generated files: `npm run generate`. */
import { writeFileSync } from "node:fs";
import { generatedFiles, repositoryRoot } from "./generated-files.ts";

for (const [path, content] of Object.entries(generatedFiles())) {
  writeFileSync(new URL(path, repositoryRoot), content);
}
