import { createHash } from "node:crypto";
import { oneLine } from "../../platform/one-line.ts";
import { type Finding, type Spotted, severities, type Waiver } from "./finding.ts";
import { waiverFor } from "./waivers.ts";

/** A report with more helps nobody. */
export const maxFindings = 2_000;

/** What a rule says of a place in a file, and the text of its line. */
export type Found = Spotted & { readonly path: string; readonly source: string };

/** A finding, and what its fingerprint is made of. */
type Kept = Omit<Finding, "fingerprint"> & { readonly key: string };

/** Keeps the worst findings of a scan and counts the others: a project can be made to have millions. */
export class KeptFindings {
  readonly #waivers: readonly Waiver[];
  #kept: Kept[] = [];
  #leftOut = 0;

  constructor(waivers: readonly Waiver[]) {
    this.#waivers = waivers;
  }

  /** Adds all findings of one file; `leftOut` are those that nobody has handed on. */
  add(found: readonly Found[], leftOut = 0): void {
    const keyOf = keys();
    for (const one of found) {
      const { source: _, ...finding } = one;
      const waiver = waiverFor(this.#waivers, finding);
      this.#kept.push({ ...finding, key: keyOf(one), ...(waiver !== undefined && { waiver }) });
    }
    this.#leftOut += leftOut;
    if (this.#kept.length > 2 * maxFindings) this.#cut();
  }

  /** The worst first, and how many there were besides. */
  end(): { readonly findings: readonly Finding[]; readonly leftOut: number } {
    this.#cut();
    const findings = this.#kept.map(({ key, ...one }): Finding => {
      const fingerprint = createHash("sha256").update(key).digest("hex").slice(0, 32);
      return { ...one, message: oneLine(one.message, 400), fingerprint };
    });
    return { findings, leftOut: this.#leftOut };
  }

  #cut(): void {
    this.#kept.sort(openAndWorstFirst);
    this.#leftOut += Math.max(0, this.#kept.length - maxFindings);
    this.#kept.length = Math.min(this.#kept.length, maxFindings);
  }
}

/** At most so many findings of each rule in a file. Waivers are for all of a rule in a file: no other is pushed out. */
export function withinRules<T extends Spotted>(
  spotted: readonly T[],
): { readonly kept: T[]; readonly leftOut: number } {
  const counts = new Map<string, number>();
  const kept = spotted.filter(({ ruleId, severity }) => {
    const rule = `${severity} ${ruleId}`;
    const count = (counts.get(rule) ?? 0) + 1;
    counts.set(rule, count);
    return count <= maxFindings;
  });
  return { kept, leftOut: spotted.length - kept.length };
}

/** Names each finding of a file so that the name stays when lines move: equal lines are counted. */
function keys(): (found: Found) => string {
  const seen = new Map<string, number>();
  return ({ source, ruleId, path }) => {
    const key = JSON.stringify([ruleId, path, source.replaceAll(/\s+/g, " ")]);
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    return `${key}${count}`;
  };
}

/** A report is cut at its end: what is waived must not push out what is not. */
function openAndWorstFirst(a: Kept, b: Kept): number {
  return (
    Number(a.waiver !== undefined) - Number(b.waiver !== undefined) ||
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line)
  );
}
