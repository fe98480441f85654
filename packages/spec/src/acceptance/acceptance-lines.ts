import { escapeKey } from "../resolve-spec.ts";
import type { CompleteSpec } from "../schema/document.ts";
import { type AcceptanceCheck, placedChecks } from "./acceptance-checks.ts";

/** An acceptance line and its position. */
export interface AcceptanceLine {
  /** JSON Pointer into the resolved document. */
  readonly pointer: string;
  /** The phase at whose end it must hold; undefined for the end of the work. */
  readonly phase?: string;
  readonly check: AcceptanceCheck;
}

/** Every line of a document's acceptance: its own, then those of its phases. */
export function acceptanceLines(document: CompleteSpec): readonly AcceptanceLine[] {
  const ofPhases = Object.entries(document.phases ?? {}).flatMap(([phase, { acceptance = {} }]) =>
    linesOf(acceptance, `/phases/${escapeKey(phase)}/acceptance`, document.acceptance.actors).map((line) => ({
      ...line,
      phase,
    })),
  );
  return [...linesOf(document.acceptance, "/acceptance"), ...ofPhases];
}

function linesOf(
  block: CompleteSpec["acceptance"],
  pointer: string,
  shared: CompleteSpec["acceptance"]["actors"] = {},
): readonly AcceptanceLine[] {
  return placedChecks(block, shared).map(({ place, check }) => ({
    pointer: `${pointer}/${place.map((key) => escapeKey(String(key))).join("/")}`,
    check,
  }));
}
