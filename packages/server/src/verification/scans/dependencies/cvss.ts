import type { Severity } from "../finding.ts";

const weights: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
};

/** The severity that a CVSS vector of version 3, or a plain score, stands for. */
export function cvssSeverity(score: string): Severity | undefined {
  const base = /^\d+(?:\.\d+)?$/.test(score) ? Number(score) : baseScore(score);
  if (base === undefined) return undefined;
  if (base >= 9) return "critical";
  if (base >= 7) return "high";
  return base >= 4 ? "medium" : "low";
}

/** The base score by the formula of CVSS 3.1. */
function baseScore(vector: string): number | undefined {
  if (!vector.startsWith("CVSS:3")) return undefined;
  const metrics = Object.fromEntries(
    vector
      .split("/")
      .slice(1)
      .map((part) => part.split(":")),
  ) as Record<string, string>;
  const weight = (name: string) => weights[name]?.[metrics[name] ?? ""];
  const isChanged = metrics["S"] === "C";
  const rights = { N: 0.85, L: isChanged ? 0.68 : 0.62, H: isChanged ? 0.5 : 0.27 }[metrics["PR"] ?? ""];
  const [reach, effort, help, c, i, a] = ["AV", "AC", "UI", "C", "I", "A"].map(weight);
  if ([rights, reach, effort, help, c, i, a].includes(undefined)) return undefined;
  const loss = 1 - (1 - c!) * (1 - i!) * (1 - a!);
  const impact = isChanged ? 7.52 * (loss - 0.029) - 3.25 * (loss - 0.02) ** 15 : 6.42 * loss;
  if (impact <= 0) return 0;
  const sum = impact + 8.22 * reach! * effort! * rights! * help!;
  return Math.ceil(Math.min(isChanged ? 1.08 * sum : sum, 10) * 10) / 10;
}
