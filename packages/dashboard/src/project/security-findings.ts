import { readJson } from "../data/read-json.ts";

/** A finding of the security scan. */
export interface Finding {
  readonly level: "error" | "warning" | "note" | "none";
  readonly message: string;
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly isWaived: boolean;
}

interface SarifResult {
  readonly ruleId?: string;
  readonly level?: Finding["level"];
  readonly message?: { readonly text?: string };
  readonly suppressions?: readonly unknown[];
  readonly locations?: readonly {
    readonly physicalLocation?: {
      readonly artifactLocation?: { readonly uri?: string };
      readonly region?: { readonly startLine?: number };
    };
  }[];
}

const order: readonly Finding["level"][] = ["error", "warning", "note", "none"];

/** The findings of a SARIF file: those nobody has accepted first, and among them the worst; undefined if it is none. */
export function readFindings(sarif: string): Finding[] | undefined {
  const found = findingsOf(readJson(sarif));
  if (found === undefined) return undefined;
  const weight = ({ isWaived, level }: Finding) => (isWaived ? order.length : order.indexOf(level));
  return found.toSorted((a, b) => weight(a) - weight(b));
}

/** Somebody may have uploaded a file of their own in its place, of any shape. */
function findingsOf(report: unknown): Finding[] | undefined {
  try {
    const { runs } = report as { runs: readonly { results?: readonly SarifResult[] }[] };
    return runs.flatMap(({ results = [] }) => results.map(asFinding));
  } catch {
    return undefined;
  }
}

function asFinding({ ruleId = "", level = "warning", message, suppressions = [], locations }: SarifResult): Finding {
  const place = locations?.[0]?.physicalLocation;
  return {
    level,
    message: String(message?.text ?? ""),
    path: decode(place?.artifactLocation?.uri ?? ""),
    line: place?.region?.startLine ?? 0,
    rule: String(ruleId),
    isWaived: suppressions.length > 0,
  };
}

function decode(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
