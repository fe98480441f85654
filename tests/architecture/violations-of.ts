import type { Codebase, Package, SourceFile, Violation } from "./codebase.ts";
import type { Import } from "./read-imports.ts";

/** What a rule has to say against an import, if anything. */
type Objection = (home: Package, file: SourceFile, one: Import) => string | undefined;

/** Asks a rule about each import of each file. */
export function violationsOf({ packages }: Codebase, objection: Objection): Violation[] {
  const violations: Violation[] = [];
  for (const home of packages) {
    for (const file of home.files) {
      for (const one of file.imports) {
        const message = objection(home, file, one);
        if (message !== undefined) violations.push({ file: file.path, line: one.line, message });
      }
    }
  }
  return violations;
}
