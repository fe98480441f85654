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
  const { runs } = (readJson(sarif) ?? {}) as { runs?: readonly { results?: readonly SarifResult[] }[] };
  if (!Array.isArray(runs)) return undefined;
  const found = runs.flatMap(({ results = [] }) => results.map(asFinding));
  const weight = ({ isWaived, level }: Finding) => (isWaived ? order.length : order.indexOf(level));
  return found.toSorted((a, b) => weight(a) - weight(b));
}

function asFinding({ ruleId = "", level = "warning", message, suppressions = [], locations }: SarifResult): Finding {
  const place = locations?.[0]?.physicalLocation;
  return {
    level,
    message: message?.text ?? "",
    path: decode(place?.artifactLocation?.uri ?? ""),
    line: place?.region?.startLine ?? 0,
    rule: ruleId,
    isWaived: suppressions.length > 0,
  };
}

/** Somebody may have uploaded a file of their own in its place. */
function decode(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
