import { dirname } from "node:path/posix";
import { inTurns } from "../../platform/in-turns.ts";
import { isCode, type ProjectFiles } from "./test-files.ts";

const scriptEndings = [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];
const endings = ["", ...scriptEndings.flatMap((end) => [end, `/index${end}`]), ".py", "/__init__.py"];

/**
 * Finds code that sources take from where tests and settings are kept: it is a source, too, wherever it lies. Code that
 * tests alone use is not.
 */
export class ImportedFiles {
  /** Code that does not count yet. */
  readonly #others: Set<string>;
  /** Go names folders. */
  readonly #goFiles: ReadonlyMap<string, readonly string[]>;

  constructor({ all, sources }: ProjectFiles) {
    const counted = new Set(sources);
    this.#others = new Set(all.filter((path) => isCode(path) && !counted.has(path)));
    const ofGo = [...this.#others].filter((path) => path.endsWith(".go") && !path.endsWith("_test.go"));
    this.#goFiles = Map.groupBy(ofGo, dirname);
  }

  /** The files that these imports lead to, each once. There may be millions of imports: others have their turns. */
  async take(imports: Iterable<string>): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const one of inTurns(imports))
      for (const path of this.#candidates(one)) if (this.#others.delete(path)) found.push(path);
    return found;
  }

  #candidates(path: string): readonly string[] {
    // TypeScript names files as they are called once they are built.
    const asSource = path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
    return [...endings.map((ending) => path + ending), asSource, ...(this.#goFiles.get(path) ?? [])];
  }
}
