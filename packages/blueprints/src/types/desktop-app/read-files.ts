import type { DocumentToBuild } from "../../kit/outcome-type.ts";

/** The files that records are saved as and read from. */
export interface FileFormats {
  readonly exports: readonly string[];
  readonly imports: readonly string[];
}

/** Reads `export` and `import`, and what the menus ask for. */
export function readFiles(document: DocumentToBuild<"desktop-app">): FileFormats {
  const items = (document.menus ?? []).flatMap(({ items }) => items);
  const asked = items.filter(({ does }) => does === "export").map(({ format }) => format ?? "markdown");
  const exported = [...formatsIn(document.export), ...asked];
  const isImported = items.some(({ does }) => does === "import");
  const imported = document.import === undefined ? (isImported ? ["csv", "json"] : []) : formatsIn(document.import);
  const isSaid = exported.length > 0 || document.menus !== undefined;
  return { exports: [...new Set(isSaid ? exported : ["markdown", "json"])], imports: [...new Set(imported)] };
}

/** One word, or several. */
export function formatsIn(given: string | readonly string[] | undefined): readonly string[] {
  return typeof given === "string" ? [given] : (given?.map((format) => format) ?? []);
}
