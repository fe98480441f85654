import { resolveSpec } from "@slipway/spec";
import { toJson } from "../output/to-json.ts";
import type { CheckedDocument, ValidateOptions } from "./checked-document.ts";
import { outlineOf } from "./explain.ts";

/** For programs: for each file the response of `POST /specs/validate`, `{valid, diagnostics}`. */
export function formatAsJson(documents: readonly CheckedDocument[], options: ValidateOptions): string {
  const files = documents.map(({ source, isValid, diagnostics, document }) => ({
    file: source.file,
    valid: isValid,
    diagnostics,
    ...(options.explain && document && { outline: outlineOf(document, options.environment) }),
    ...(options.showDefaults && document && { defaults: resolveSpec(document, options.environment).defaults }),
  }));
  return toJson({ valid: documents.every(({ isValid }) => isValid), files });
}
