import { type Codebase, isRelative, resolveRelative, type SourceFile, type Violation } from "./codebase.ts";

/** Files of a package that load each other in a circle. */
export function importsGoNoCircles({ packages }: Codebase): Violation[] {
  return packages.flatMap(({ files }) => circlesAmong(files));
}

function circlesAmong(files: readonly SourceFile[]): Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const violations: Violation[] = [];
  for (const file of files) visit(file, []);
  return violations;

  function visit(file: SourceFile, above: readonly string[]): void {
    const path = [...above, file.path];
    for (const { specifier, line, isTypeOnly } of file.imports) {
      if (isTypeOnly || !isRelative(specifier)) continue;
      const target = byPath.get(resolveRelative(file, specifier));
      if (!target) continue;
      const at = path.indexOf(target.path);
      if (at !== -1) {
        const circle = [...path.slice(at), target.path].join(" → ");
        violations.push({ file: file.path, line, message: `this import closes a circle: ${circle}` });
      } else if (!done.has(target.path)) {
        visit(target, path);
      }
    }
    done.add(file.path);
  }
}
