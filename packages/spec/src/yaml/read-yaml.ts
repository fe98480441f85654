import { isScalar, type ParsedNode } from "yaml";
import { Findings } from "../diagnostics/diagnostic.ts";
import { composeDocument } from "./compose-document.ts";
import { type FileKind, specificationFile } from "./file-kind.ts";
import type { Node } from "./node.ts";
import { NodeReader } from "./node-reader.ts";
import { reportSyntax } from "./report-syntax.ts";

/**
 * Reads YAML into nodes with positions. Reports problems to `findings` and never throws. Returns no root if there is
 * no document, and the offset from which the text could not be understood.
 */
export function readYaml(
  text: string,
  findings: Findings,
  kind: FileKind = specificationFile,
): { root: Node | undefined; brokenFrom: number } {
  const composed = composeDocument(text, findings);
  if (composed === undefined) return { root: undefined, brokenFrom: 0 };
  const brokenFrom = reportSyntax(composed, text, findings);
  const contents = composed.contents as ParsedNode | null;
  if (contents === null || (isScalar(contents) && contents.source === "")) {
    if (composed.errors.length + composed.warnings.length === 0) reportEmpty(findings, kind);
    return { root: undefined, brokenFrom };
  }
  if (brokenFrom === Number.POSITIVE_INFINITY)
    return { root: new NodeReader(text, findings).read(contents, undefined), brokenFrom };
  const early = new Findings();
  const root = new NodeReader(text, early).read(contents, undefined);
  findings.addAll(early, ({ span }) => span.end <= brokenFrom);
  return { root, brokenFrom };
}

function reportEmpty(findings: Findings, { name, whenEmpty }: FileKind): void {
  findings.add({
    code: "empty_document",
    message: `The ${name} is empty.`,
    span: { start: 0, end: 0 },
    suggestion: whenEmpty,
  });
}
