import { escapeKey } from "../resolve-spec.ts";
import type { CompleteSpec } from "../schema/document.ts";
import { type AcceptanceCheck, acceptanceChecks } from "./acceptance-checks.ts";

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
    linesOf(acceptance, `/phases/${escapeKey(phase)}/acceptance`).map((line) => ({ ...line, phase })),
  );
  return [...linesOf(document.acceptance, "/acceptance"), ...ofPhases];
}

function linesOf(block: CompleteSpec["acceptance"], pointer: string): readonly AcceptanceLine[] {
  const places = placesIn(block);
  return acceptanceChecks(block).map((check, index) => ({
    pointer: `${pointer}/${places[index]!.map((key) => escapeKey(String(key))).join("/")}`,
    check,
  }));
}

/** The positions, in the order of `acceptanceChecks`. */
function placesIn(block: CompleteSpec["acceptance"]): readonly (readonly (string | number)[])[] {
  const { tests, http_endpoints, service_health, integration_tests, commands, performance, ...named } = block;
  const lists = { tests, http_endpoints, service_health, integration_tests, commands };
  return [
    ...Object.entries(lists).flatMap(([name, list = []]) => list.map((_, index) => [name, index])),
    ...Object.keys(performance ?? {}).map((metric) => ["performance", metric]),
    ...Object.keys(named).map((name) => [name]),
  ];
}
