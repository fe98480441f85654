import { type XmlNode as Node, parseXml } from "../parse-xml.ts";
import type { RawCoverage, RawFile } from "./raw-coverage.ts";

/** Reads Cobertura XML, without document types and entities of its own; undefined if it is not such a file. */
export async function readCobertura(xml: string): Promise<RawCoverage | undefined> {
  // Its usual document type names a file elsewhere, which nobody reads.
  const text = xml.replace(/<!DOCTYPE\s+coverage\s+SYSTEM\s+(?:"[^"]{0,200}"|'[^']{0,200}')\s*>/, "");
  const root = await parseXml(text, ["source", "package", "class", "method", "line"]);
  const coverage = asNode(root?.["coverage"]);
  if (coverage === undefined) return undefined;
  const classes = nodes(asNode(coverage["packages"])?.["package"]).flatMap((one) =>
    nodes(asNode(one["classes"])?.["class"]),
  );
  const begins = folderOf(asNode(coverage["sources"]));
  const files = classes.map((one) => ({ ...fileOf(one), ...(begins !== undefined && { begins }) }));
  return { method: "cobertura", listsEveryLine: false, files };
}

/** Where its paths begin; of several folders, nobody knows which one is meant. */
function folderOf(sources: Node | undefined): string | undefined {
  const named = Array.isArray(sources?.["source"]) ? sources["source"] : [];
  const folders = new Set(named.filter((one): one is string => typeof one === "string" && one !== ""));
  return folders.size === 1 ? [...folders][0] : undefined;
}

function fileOf(node: Node): RawFile {
  const linesOf = (of: Node) =>
    nodes(asNode(of["lines"])?.["line"]).map(
      (line) => [Number(line["@number"]), Number(line["@hits"]) > 0 ? 1 : 0] as const,
    );
  const functions = nodes(asNode(node["methods"])?.["method"]).map((method) => {
    const lines = linesOf(method);
    const hits = lines.some(([, hit]) => hit > 0) ? 1 : 0;
    return { name: String(method["@name"] ?? ""), line: lines[0]?.[0] ?? 0, hits };
  });
  return { path: String(node["@filename"] ?? ""), lines: new Map(linesOf(node)), functions };
}

function nodes(value: unknown): readonly Node[] {
  return (Array.isArray(value) ? value : []).map((one) => asNode(one) ?? {});
}

function asNode(value: unknown): Node | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Node) : undefined;
}
