import { parseCommandLine } from "../acceptance/command-line.ts";
import { parsePerformanceLimit } from "../acceptance/performance-limit.ts";
import { quote } from "../check/describe-value.ts";
import { limits } from "../limits.ts";
import { acceptance as shape } from "../schema/acceptance.ts";
import { unknownKeys } from "../schema/unknown-keys.ts";
import { checkIntegration, checkSchema } from "./integration-tests.ts";
import { checkServiceName, type ServiceNames } from "./references.ts";
import { type DraftDocument, entriesOf, itemsOf, type Keys, type Rule, type RuleContext } from "./rule.ts";

type DraftAcceptance = NonNullable<DraftDocument["acceptance"]>;

/** Checks the lines of every acceptance block: at the top level, in phases and in environments. */
export const checkAcceptance: Rule = (context) => {
  const { document } = context;
  const services = new Set(Object.keys(document.services ?? {}));
  checkBlock(context, document.acceptance, ["acceptance"], [services]);
  const shared = Object.keys(document.acceptance?.actors ?? {});
  for (const [name, { acceptance }] of entriesOf(document.phases))
    checkBlock(context, acceptance, ["phases", name, "acceptance"], [services], shared);
  for (const [name, block] of entriesOf(document.environments)) {
    const added = new Set(Object.keys(block.services ?? {}));
    checkBlock(context, block.acceptance, ["environments", name, "acceptance"], [services, added], shared);
  }
  checkCount(context);
};

/** Those of an environment count with those of the top level, which it may only add to. */
function checkCount(context: RuleContext): void {
  const { acceptance, phases, environments } = context.document;
  const own = linesOfAll({ acceptance, phases });
  const places: (readonly [Keys, number])[] = [
    [["acceptance"], own],
    ...entriesOf(environments).map(([name, block]) => [["environments", name], own + linesOfAll(block)] as const),
  ];
  const tooMany = places.find(([, count]) => count > limits.acceptanceLines);
  if (tooMany !== undefined) reportTooMany(context, ...tooMany);
}

function reportTooMany(context: RuleContext, at: Keys, count: number): void {
  const message = `There are ${count} acceptance lines. At most ${limits.acceptanceLines} are allowed.`;
  context.report("too_many_entries", at, message, "Split the document into several.", "key");
}

function linesOfAll({ acceptance, phases }: Pick<DraftDocument, "acceptance" | "phases">): number {
  const ofPhases = entriesOf(phases).map(([, phase]) => linesIn(phase.acceptance));
  return ofPhases.reduce((sum, count) => sum + count, linesIn(acceptance));
}

function linesIn(block: DraftAcceptance | undefined): number {
  const sections = Object.entries(block ?? {}).map(([name, section]) => {
    const known = name === "performance" ? undefined : shape.properties?.[name];
    return Math.max(1, sizeOf(section)) + unknownKeys(known, section).length;
  });
  const ofCommands = itemsOf(block?.commands).map(([, line]) =>
    typeof line === "string" ? 0 : 1 + sizeOf(line.performance),
  );
  return [...sections, ...ofCommands].reduce((sum, count) => sum + count, 0);
}

/** Entries of a list or a map. */
function sizeOf(value: unknown): number {
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

function checkBlock(
  context: RuleContext,
  block: DraftAcceptance | undefined,
  at: Keys,
  services: ServiceNames,
  actors: readonly string[] = [],
): void {
  checkIntegration(context, block, at, actors);
  for (const [index, endpoint] of itemsOf(block?.http_endpoints))
    if ("response_schema" in endpoint)
      checkSchema(context, endpoint.response_schema, [...at, "http_endpoints", index, "response_schema"]);
  checkCommandLines(context, block, at);
  checkLimits(context, block, at);
  for (const [index, { service }] of itemsOf(block?.service_health))
    checkServiceName(context, service, services, [...at, "service_health", index, "service"]);
}

/** A number after the arrow that is not an exit code stays part of the command, which nobody means. */
function checkCommandLines(context: RuleContext, block: DraftAcceptance | undefined, at: Keys): void {
  for (const [index, line] of itemsOf(block?.commands)) {
    const code = typeof line === "string" ? parseCommandLine(line).impossibleCode : undefined;
    if (code === undefined) continue;
    const message = `${quote(code)} is not an exit code, so it is run as part of the command. Exit codes range from 0 to 255.`;
    context.report("doubtful_check", [...at, "commands", index], message, "End it with '→ 0'.");
  }
}

/** A limit that cannot be parsed becomes a named check, which somebody must answer for. */
function checkLimits(context: RuleContext, block: DraftAcceptance | undefined, at: Keys): void {
  checkSection(context, block?.performance, [...at, "performance"]);
  for (const [index, line] of itemsOf(block?.commands)) {
    if (typeof line !== "string") checkSection(context, line.performance, [...at, "commands", index, "performance"]);
  }
}

function checkSection(context: RuleContext, section: unknown, at: Keys): void {
  if (section === undefined) return;
  if (typeof section !== "object" || section === null || Array.isArray(section)) {
    reportUnmeasured(context, section, at);
    return;
  }
  for (const [metric, limit] of Object.entries(section)) {
    if (limit !== undefined && parsePerformanceLimit(metric, limit) === undefined)
      reportUnmeasured(context, limit, [...at, metric]);
  }
}

function reportUnmeasured(context: RuleContext, limit: unknown, at: Keys): void {
  const shown = typeof limit === "object" ? "This" : `The limit ${quote(String(limit))}`;
  const message = `${shown} cannot be measured, so it is not checked unless a plugin answers for it.`;
  context.report("doubtful_check", at, message, "Write it as a number, or as '< 200 ms'.");
}
