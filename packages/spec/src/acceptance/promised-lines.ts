import { escapeKey } from "../resolve-spec.ts";
import type { CompleteSpec } from "../schema/document.ts";
import { guardrails as guardrailsShape } from "../schema/guardrails.ts";
import { unknownKeys } from "../schema/unknown-keys.ts";
import { acceptanceLines } from "./acceptance-lines.ts";
import { describeCheck } from "./describe-check.ts";

/** A line of the document that must hold: of its guardrails, its acceptance, or a phase's acceptance. */
export interface PromisedLine {
  /** JSON Pointer into the resolved document. */
  readonly pointer: string;
  /** The phase at whose end it must hold; undefined for the end of the work. */
  readonly phase?: string;
  /** In words. */
  readonly title: string;
  /** A guardrail that nobody knows, so that nobody checks it. */
  readonly isUnknown?: true;
}

/** Every line that a document promises. A guardrail that asks for nothing is none. */
export function promisedLines(document: CompleteSpec): readonly PromisedLine[] {
  const ofAcceptance = acceptanceLines(document).map(({ pointer, phase, check }) => ({
    pointer,
    title: describeCheck(check),
    ...(phase !== undefined && { phase }),
  }));
  return [...guardrailLines(document), ...scriptLines(document), ...ofAcceptance];
}

function scriptLines({ scripts }: CompleteSpec): readonly PromisedLine[] {
  if (scripts?.health_check === undefined) return [];
  return [{ pointer: "/scripts/health_check", title: "scripts.health_check finds the started software healthy" }];
}

/** What each guardrail asks for, by its key; undefined if nothing. */
type Titles<G> = { readonly [K in keyof G]?: (value: NonNullable<G[K]>) => string | undefined };

const ifTrue = (title: string) => (value: boolean) => (value ? title : undefined);

const titles: Titles<Omit<CompleteSpec["guardrails"], "deployment">> = {
  tests_required: ifTrue("The result has tests, and they pass"),
  min_test_coverage: (share) => `Tests cover at least ${percent(share)} of the code`,
  test_types_required: (types) =>
    types.length === 0 ? undefined : `There are tests of these types: ${types.join(", ")}`,
  performance_tests: ifTrue("The performance is measured"),
  security_tests: ifTrue("The result has security tests, and they pass"),
  security_scan: (level) => {
    switch (level) {
      case "off":
        return undefined;
      case "warn":
        return "The security scan reports what it finds";
      case "error":
        return "The security scan finds nothing serious";
      case "block":
        return "The security scan finds nothing, and leaves nothing out";
    }
  },
  license_whitelist: (licences) => `Packages from others have one of these licences: ${licences.join(", ")}`,
  lint: ifTrue("The linter finds nothing"),
  type_check: ifTrue("The types fit"),
};

const deploymentTitles: Titles<CompleteSpec["guardrails"]["deployment"]> = {
  tests_required: ifTrue("Tests ran and passed before the deployment"),
  security_scan_required: ifTrue("The security scan ran before the deployment"),
};

function guardrailLines({ guardrails }: CompleteSpec): readonly PromisedLine[] {
  const { deployment, ...own } = guardrails;
  const unknown = unknownKeys(guardrailsShape, guardrails).map(({ place, value }) => ({
    pointer: `/guardrails/${place.map((key) => escapeKey(String(key))).join("/")}`,
    title: `guardrails.${place.join(".")}: ${JSON.stringify(value)}`,
    isUnknown: true as const,
  }));
  return [
    ...linesOf("/guardrails", own, titles),
    ...linesOf("/guardrails/deployment", deployment, deploymentTitles),
    ...unknown,
  ];
}

/** In the order of the block, which is the document's where it was written. */
function linesOf<G extends object>(pointer: string, block: G, known: Titles<G>): readonly PromisedLine[] {
  return Object.entries(block).flatMap(([key, value]) => {
    const describe = known[key as keyof G] as ((value: unknown) => string | undefined) | undefined;
    const title = value === undefined ? undefined : describe?.(value);
    return title === undefined ? [] : [{ pointer: `${pointer}/${key}`, title }];
  });
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
