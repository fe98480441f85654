/** Writes the generated files: `npm run generate`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { generatedFiles, repositoryRoot } from "./generated-files.ts";

for (const [path, content] of Object.entries(generatedFiles())) {
  mkdirSync(new URL(".", new URL(path, repositoryRoot)), { recursive: true });
  writeFileSync(new URL(path, repositoryRoot), content);
}
