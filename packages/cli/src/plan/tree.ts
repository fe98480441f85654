import { type PlannedPhase, type PlannedTask, secretProvider } from "@slipway/spec";
import { maxListed, obstacleLines, unmetLines } from "../foreseen/describe.ts";
import { handedOnLines } from "../foreseen/handed-on.ts";
import { printable } from "../output/printable.ts";
import { count, duration } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";
import type { PlannedDocument } from "./json.ts";

type Colors = Terminal["colors"];

interface Style {
  readonly colors: Colors;
  readonly verbose: boolean;
  readonly isCritical: (id: string) => boolean;
  /** What a task of a role took before. */
  readonly medians: ReadonlyMap<string, number>;
}

/** The plan for people: a tree of phases and tasks with the critical path marked, and the totals. */
export function planAsTree(
  { resolved, plan, summary, unmet, handedOn, preflight, estimate }: PlannedDocument,
  { verbose = false }: { readonly verbose?: boolean },
  colors: Colors,
): string {
  const { document, environment } = resolved;
  const critical = new Set(summary.criticalPath.tasks);
  const medians = new Map(estimate?.roles.map(({ role, median_ms }) => [role, median_ms]));
  const style: Style = { colors, verbose, isCritical: (id) => critical.has(id), medians };
  const tasksOf = Map.groupBy(plan.tasks, ({ phase }) => phase);
  const about = environment === undefined ? document.outcome_type : `${document.outcome_type}, ${environment.name}`;
  return [
    `${colors.bold(printable(document.name))}  ${colors.dim(`(${printable(about)})`)}`,
    "",
    ...plan.phases.flatMap((phase) => phaseLines(phase, tasksOf.get(phase.name) ?? [], style)),
    "",
    totals({ plan, summary }),
    ...estimateLines(estimate),
    `${colors.yellow("●")} The longest chain: ${shortened(summary.criticalPath.tasks)}.`,
    ...secretLines(document.secrets),
    ...notBuiltLines(unmet, verbose),
    ...finishedLines(handedOn, verbose),
    ...inTheWay(preflight, verbose, colors),
  ].join("\n");
}

/** Only a service knows which of them exist. */
function secretLines({ provider, ...secrets }: PlannedDocument["resolved"]["document"]["secrets"]): string[] {
  const required = new Set([...secrets.required, ...Object.entries(secrets.verification ?? {}).flat()]);
  const optional = secrets.optional.filter((name) => !required.has(name)).map((name) => `${name} (optional)`);
  if (required.size + optional.length === 0) return [];
  const names = [...required, ...optional].map((name) => printable(name));
  return [
    `It needs secrets from the provider '${printable(secretProvider(provider).name)}': ${names.join(", ")}.`,
    "'slipway run' says which of them are missing before it starts; 'slipway secrets set NAME' sets one.",
  ];
}

/** `--verbose` lists all of them. */
function notBuiltLines(unmet: PlannedDocument["unmet"], verbose: boolean): string[] {
  if (unmet === undefined)
    return [
      "",
      "A plugin defines this outcome type, so only the service can list what it does not support: use ?dry_run=true.",
    ];
  if (unmet.length === 0) return [];
  const listed = verbose ? unmet : unmet.slice(0, maxListed);
  const more = moreThan(unmet.length - listed.length);
  return ["", "The built-in agent, which uses no model, does not use or cannot build:", ...unmetLines(listed), ...more];
}

function finishedLines(handedOn: PlannedDocument["handedOn"], verbose: boolean): string[] {
  if (handedOn.length === 0) return [];
  const listed = verbose ? handedOn : handedOn.slice(0, maxListed);
  const more = moreThan(handedOn.length - listed.length);
  return ["", "No rule builds these; another agent finishes them:", ...handedOnLines(listed), ...more];
}

function inTheWay(preflight: PlannedDocument["preflight"], verbose: boolean, colors: Colors): string[] {
  if (preflight.length === 0) return [];
  const listed = verbose ? preflight : preflight.slice(0, maxListed);
  return ["", "Before it runs here:", ...obstacleLines(listed, colors), ...moreThan(preflight.length - listed.length)];
}

function moreThan(left: number): string[] {
  return left > 0 ? [`and ${left} more; --verbose lists them`] : [];
}

function phaseLines({ name, dependsOn, priority, kind }: PlannedPhase, tasks: readonly PlannedTask[], style: Style) {
  const { colors } = style;
  const facts = [
    ...(kind === "work" && priority !== "medium" ? [priority] : []),
    ...(dependsOn.length > 0 ? [`after ${printable(dependsOn.join(", "))}`] : []),
  ];
  return [
    `${colors.bold(colors.cyan(printable(name)))}${facts.length > 0 ? colors.dim(`  ${facts.join(", ")}`) : ""}`,
    ...tasks.flatMap((task, index) => taskLines(task, index === tasks.length - 1, style)),
  ];
}

function taskLines(task: PlannedTask, isLast: boolean, style: Style): string[] {
  const { colors, verbose, isCritical, medians } = style;
  const { id, title, role, dependsOn, serves } = task;
  const median = medians.get(role);
  const facts = [
    role,
    ...(median === undefined ? [] : [about(median)]),
    ...(dependsOn.length > 0 ? [`after ${dependsOn.join(", ")}`] : []),
    ...(serves.length > 0 ? [`serves ${count(serves.length, "check")}`] : []),
  ];
  const mark = isCritical(id) ? colors.yellow("●") : colors.dim("○");
  const name = id === title ? "" : `  ${printable(title)}`;
  const stem = colors.dim(isLast ? "   " : "│  ");
  return [
    `${colors.dim(isLast ? "└─" : "├─")} ${mark} ${colors.bold(printable(id))}${name}  ${colors.dim(printable(facts.join(" · ")))}`,
    ...(verbose ? serves.map((pointer) => `${stem}   ${colors.dim(printable(pointer))}`) : []),
  ];
}

function totals({ plan, summary }: Pick<PlannedDocument, "plan" | "summary">): string {
  const size = `${count(plan.tasks.length, "task")} in ${count(plan.phases.length, "phase")}`;
  const pace = summary.parallelTasks === 1 ? "one at a time" : `${summary.parallelTasks} at a time`;
  return `${size}, ${pace}.`;
}

/** By what earlier runs took: nobody knows how long a task of a document takes that none was like. */
function estimateLines(estimate: PlannedDocument["estimate"]): string[] {
  if (estimate === undefined) return ["No service runs here that could say how long earlier runs took."];
  const { roles, duration_ms } = estimate;
  if (duration_ms === null)
    return [
      roles.length === 0
        ? "No run of this outcome type has ended here: there is no estimate yet."
        : "Some of its agents have done no such task here: there is no estimate of the whole yet.",
    ];
  const tasks = roles.reduce((sum, { finished_tasks }) => sum + finished_tasks, 0);
  return [
    `It takes ${about(duration_ms)} from start to end, if tasks take what ${count(tasks, "task")} here took before.`,
  ];
}

function about(ms: number): string {
  return `about ${duration(ms)}`;
}

/** A chain; only its start and end if it is long. */
function shortened(ids: readonly string[]): string {
  const shown = ids.length <= 12 ? ids : [...ids.slice(0, 6), "…", ...ids.slice(-5)];
  return shown.map((id) => printable(id)).join(" → ");
}
