import { resolveSpec } from "@slipway/spec";
import type { Terminal } from "../output/terminal.ts";
import { toJsonLine } from "../output/to-json.ts";
import type { CheckedDocument, ValidateOptions } from "./checked-document.ts";
import { shownFile } from "./shown-file.ts";

/** The default values that apply to a document. */
export function defaultLines(
  { source, document }: CheckedDocument,
  { environment }: ValidateOptions,
  colors: Terminal["colors"],
): string[] {
  if (document === undefined) return [];
  const { defaults } = resolveSpec(document, environment);
  const lines = defaults.map(({ pointer, value }) => `  ${dotted(pointer)}: ${colors.cyan(toJsonLine(value))}`);
  return [colors.bold(`${shownFile(source.file)}: defaults`), ...lines, ""];
}

/** `/acceptance/tests/0/type` as `acceptance.tests[0].type`. */
function dotted(pointer: string): string {
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((key, index) => (/^\d+$/.test(key) ? `[${key}]` : index === 0 ? key : `.${key}`))
    .join("");
}
