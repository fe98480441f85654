import { nearest } from "../check/nearest.ts";
import { Graph } from "../graph/graph.ts";
import { itemsOf, type Keys, type Reporter, type RuleContext } from "./rule.ts";

/** An entry that refers to others of its kind. */
export interface Referrer {
  /** Undefined if nothing can refer to it. */
  readonly id: string | undefined;
  /** Its position in the document. */
  readonly at: Keys;
  /** The names it refers to, and the key that lists them. */
  readonly names: readonly (string | undefined)[] | undefined;
  readonly key: string;
}

/** Checks that every name exists, is listed once, is not the entry itself, and that there are no cycles. */
export function checkReferences(context: Reporter, kind: string, referrers: readonly Referrer[]): void {
  const known = new Set(referrers.flatMap(({ id }) => id ?? []));
  for (const { id, at, names, key } of referrers) {
    const seen = new Set<string>();
    for (const [index, name] of itemsOf(names)) {
      const place = [...at, key, index];
      if (!known.has(name)) {
        const suggestion = () => suggestKnown(name, known, kind);
        context.report("unknown_reference", place, `There is no ${kind} '${name}'.`, suggestion);
      } else if (seen.has(name)) {
        context.report("repeated_entry", place, `'${name}' is already in the list.`, "Remove it.");
      } else if (name === id) {
        const message = `The ${kind} '${id}' depends on itself.`;
        context.report("dependency_cycle", place, message, "Remove it from the list.");
      }
      seen.add(name);
    }
  }
  checkCycles(context, kind, referrers);
}

function checkCycles(context: Reporter, kind: string, referrers: readonly Referrer[]): void {
  const byId = new Map(referrers.map((referrer) => [referrer.id, referrer]));
  const graph = new Graph(
    referrers.flatMap(({ id, names }) => {
      const dependsOn = [...new Set(itemsOf(names).map(([, name]) => name))].filter((name) => name !== id);
      return id === undefined ? [] : [{ id, dependsOn, hours: 1, rank: 0 }];
    }),
  );
  for (const cycle of graph.cycles) {
    const { at, names, key } = byId.get(cycle[0]!)!;
    const place = [...at, key, names!.indexOf(cycle[1])];
    const message = `The ${kind}s depend on each other in a cycle: ${cycle.join(" → ")}.`;
    context.report("dependency_cycle", place, message, "Remove one of these dependencies.");
  }
}

/** Services that a check may name: the document's, and those that its environment adds. */
export type ServiceNames = readonly ReadonlySet<string>[];

/** Checks that a service exists. Without any services, the name can only mean the project itself. */
export function checkServiceName(
  context: RuleContext,
  service: string | undefined,
  services: ServiceNames,
  place: Keys,
): void {
  if (service === undefined || services.some((names) => names.has(service))) return;
  if (services.every((names) => names.size === 0)) {
    const message = `The document has no services, so '${service}' is taken to mean the project itself.`;
    context.report("unsure_reference", place, message, "Define it under 'services', or remove 'service'.");
  } else {
    const message = `There is no service '${service}'.`;
    const suggestion = () => suggestKnown(service, new Set(services.flatMap((names) => [...names])), "service");
    context.report("unknown_reference", place, message, suggestion);
  }
}

/** Suggests the known name that was probably meant, else lists the known names. */
export function suggestKnown(name: string, known: Iterable<string>, kind: string): string {
  const names = [...known];
  const meant = nearest(name, names);
  if (meant !== undefined) return `Did you mean '${meant}'?`;
  if (names.length === 0) return `The document defines no ${kind}.`;
  const listed = names.slice(0, 10).join(", ");
  return `Known: ${listed}${names.length > 10 ? ", …" : ""}.`;
}
