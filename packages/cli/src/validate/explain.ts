import {
  type AcceptanceCheck,
  acceptanceChecks,
  builtInPhases,
  type CompleteSpec,
  eventFlows,
  phaseGraph,
  type ResolvedSpec,
  resolveSpec,
  type SpecDocument,
  secretProvider,
  serviceGraph,
} from "@slipway/spec";
import { printable } from "../output/printable.ts";
import { count } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";
import type { CheckedDocument, ValidateOptions } from "./checked-document.ts";
import { shownFile } from "./shown-file.ts";

/** A summary of what a document asks for. */
interface Outline {
  readonly id: string;
  readonly name: string;
  readonly outcome_type: string;
  /** Null for the top level. */
  readonly environment: string | null;
  /** In the order in which they can start. */
  readonly phases: readonly string[];
  readonly critical_path: { readonly phases: readonly string[]; readonly hours: number };
  /** In the order in which they can start. */
  readonly services: readonly string[];
  readonly events: readonly {
    readonly event: string;
    readonly from: readonly string[];
    readonly to: readonly string[];
  }[];
  /** The number of checks of each kind. */
  readonly checks: Readonly<Partial<Record<AcceptanceCheck["kind"], number>>>;
  /** Custom checks, which an agent, a plugin or a person must verify. */
  readonly named_checks: readonly string[];
  readonly secrets: { readonly provider: string; readonly required: readonly string[] };
  readonly needs_approval: boolean;
}

/** Summarizes what a document asks for in an environment. */
export function outlineOf(document: SpecDocument, environment?: string): Outline {
  const resolved = resolveSpec(document, environment);
  const { document: complete } = resolved;
  const phases = phaseGraph(complete);
  const checks = allChecks(complete);
  const [first, ...rest] = builtInPhases.filter((phase) => phase !== "implementation" || phases.ids.length === 0);
  return {
    id: complete.id,
    name: complete.name,
    outcome_type: complete.outcome_type,
    environment: resolved.environment?.name ?? null,
    phases: [first ?? "planning", ...phases.order, ...rest],
    critical_path: { phases: phases.criticalPath.ids, hours: phases.criticalPath.hours },
    services: serviceGraph(complete).order,
    events: eventFlows(complete).map(({ event, publishers, consumers }) => ({
      event,
      from: publishers,
      to: consumers,
    })),
    checks: countKinds(checks),
    named_checks: checks.filter(({ kind }) => kind === "named").map(({ id }) => id),
    secrets: { provider: secretProvider(complete.secrets.provider).name, required: complete.secrets.required },
    needs_approval: needsApproval(resolved),
  };
}

/** The checks of the document, and those at the end of its phases. */
function allChecks(document: CompleteSpec): readonly AcceptanceCheck[] {
  const ofPhases = Object.entries(document.phases ?? {}).flatMap(([name, { acceptance }]) =>
    acceptance === undefined
      ? []
      : acceptanceChecks(acceptance).map((check) => ({ ...check, id: `${name}: ${check.id}` })),
  );
  return [...acceptanceChecks(document.acceptance), ...ofPhases];
}

function countKinds(checks: readonly AcceptanceCheck[]): Outline["checks"] {
  const counts: Partial<Record<AcceptanceCheck["kind"], number>> = {};
  for (const { kind } of checks) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function needsApproval({ document, environment }: ResolvedSpec): boolean {
  const required = document.guardrails.deployment.human_approval_required ?? false;
  if (environment !== undefined && (environment.requires_approval || environment.approvers.length > 0)) return true;
  if (typeof required === "boolean") return required;
  const environments = Object.keys(document.environments ?? {});
  return required.some((name) => name === environment?.name || !environments.includes(name));
}

const kindWords: Readonly<Record<AcceptanceCheck["kind"], readonly [one: string, many: string]>> = {
  tests: ["test suite", "test suites"],
  http_endpoint: ["endpoint", "endpoints"],
  service_health: ["service's health", "services' health"],
  integration_test: ["integration test", "integration tests"],
  command: ["command", "commands"],
  performance: ["performance limit", "performance limits"],
  named: ["check by name", "checks by name"],
};

/** A document may name any number of phases and services. */
const maxRowLength = 4_000;

/** The outline for people; empty if the document is not valid. */
export function outlineLines(
  { source, document }: CheckedDocument,
  { environment }: ValidateOptions,
  colors: Terminal["colors"],
): string[] {
  if (document === undefined) return [];
  const outline = outlineOf(document, environment);
  const { critical_path, services, events, checks, named_checks, secrets } = outline;
  const row = (label: string, text: string) => `  ${colors.dim(label.padEnd(14))}${printable(text, maxRowLength)}`;
  const kinds = Object.entries(checks) as [AcceptanceCheck["kind"], number][];
  return [
    `${colors.bold(shownFile(source.file))}  ${printable(outline.name)} ${colors.dim(`(${outline.outcome_type})`)}`,
    row("phases", outline.phases.join(" → ")),
    ...(critical_path.phases.length > 0
      ? [row("longest chain", `${critical_path.phases.join(" → ")}, ${critical_path.hours} h`)]
      : []),
    ...(services.length > 0 ? [row("services", services.join(" → "))] : []),
    ...events.map(({ event, from, to }) =>
      row("event", `${event}: ${from.join(", ") || "?"} → ${to.join(", ") || "nobody"}`),
    ),
    row("checks", kinds.map(([kind, number]) => count(number, ...kindWords[kind])).join(", ") || "none"),
    ...(named_checks.length > 0 ? [row("by name", named_checks.join(", "))] : []),
    ...(secrets.required.length > 0 ? [row("secrets", `${secrets.required.join(", ")} from ${secrets.provider}`)] : []),
    row("deploys to", `${outline.environment ?? "the top level"}${outline.needs_approval ? ", after approval" : ""}`),
    "",
  ];
}
