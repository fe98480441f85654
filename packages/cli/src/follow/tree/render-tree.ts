import { cutTo, displayWidth } from "../../output/display-width.ts";
import { printable, withoutOrders } from "../../output/printable.ts";
import { count, duration } from "../../output/quantities.ts";
import type { Terminal } from "../../output/terminal.ts";
import type { PhaseNode, RunTree, TaskNode } from "./run-tree.ts";

export interface TreeStyle {
  readonly columns: number;
  /** How many lines there is room for; unlimited by default. */
  readonly rows?: number;
  readonly nowMs: number;
  /** What turns; a plain mark where nothing moves. */
  readonly spinner: string;
  readonly colors: Terminal["colors"];
  readonly agentName: (agentId: string) => string;
}

/** The more a line says about now, the longer it stays where there is no room for all. */
type Weight = "always" | "log" | "done" | "waiting";

interface Line {
  readonly text: string;
  readonly weight: Weight;
}

/** Below this, the last log line of a task gets a line of its own. */
const wideColumns = 120;
const dropFirst: readonly Weight[] = ["waiting", "done", "log"];

/** A project's tree as lines, none longer than the terminal is wide. */
export function renderTree(tree: RunTree, style: TreeStyle): string[] {
  const lines = [heading(tree, style), ...tree.phases.flatMap((phase) => phaseLines(phase, tree, style))];
  return withinRows(lines, style).map(({ text }) => text);
}

function withinRows(lines: readonly Line[], { rows = Number.POSITIVE_INFINITY, columns, colors }: TreeStyle): Line[] {
  let kept = [...lines];
  let dropped = 0;
  for (const weight of dropFirst) {
    // From the end: what comes next stays longer than what comes last.
    for (let at = kept.length - 1; at >= 0 && kept.length + (dropped > 0 ? 1 : 0) > rows; at--) {
      if (kept[at]!.weight !== weight) continue;
      kept = kept.toSpliced(at, 1);
      if (weight !== "log") dropped++;
    }
  }
  const more: Line = { weight: "always", text: colors.dim(cutTo(`  … and ${dropped} more`, columns)) };
  const limit = Math.max(1, Math.min(rows, Number.MAX_SAFE_INTEGER));
  return (dropped > 0 ? [...kept, more] : kept).slice(0, limit);
}

function heading(tree: RunTree, style: TreeStyle): Line {
  const { colors, nowMs } = style;
  const elapsed = duration(Math.max(0, (tree.endedAtMs ?? nowMs) - tree.createdAtMs));
  const wait = tree.waitingFor === null ? "" : `waiting for ${waits[tree.waitingFor]} · `;
  const right = `${wait}${Math.floor(tree.progress * 100)} % · ${elapsed}`;
  const cells = [{ text: clean(tree.name), paint: colors.bold }];
  return { weight: "always", text: row({ indent: 0, cells, right, paintRight: colors.dim }, style) };
}

const waits = { approval: "approval", agent: "an agent", paused: "'resume'", debug: "the debugger" } as const;

function phaseLines(phase: PhaseNode, tree: RunTree, style: TreeStyle): Line[] {
  const { colors } = style;
  const { status, tasks, name } = phase;
  const isOpen = status === "running" || status === "verifying" || status === "failed";
  const done = tasks.filter((task) => task.status === "completed").length;
  const counts = status === "completed" ? count(tasks.length, "task") : `${done} of ${tasks.length}`;
  const spentMs = spentOn(phase, style.nowMs);
  const head = row(
    {
      indent: 0,
      cells: [
        { text: markOf(status, style), paint: paintOf(status, colors) },
        { text: clean(name), paint: status === "waiting" ? colors.dim : colors.cyan },
        ...(tasks.length === 0 || (isOpen && tasks.length === 1) ? [] : [{ text: counts, paint: colors.dim }]),
      ],
      right: spentMs === undefined ? "" : duration(spentMs),
      paintRight: colors.dim,
    },
    style,
  );
  const hasEnded = tree.endedAtMs !== undefined;
  const shown = isOpen || (hasEnded && tasks.length > 1) ? tasks : [];
  return [{ text: head, weight: "always" }, ...shown.flatMap((task) => taskLines(task, hasEnded, style))];
}

function taskLines(task: TaskNode, hasEnded: boolean, style: TreeStyle): Line[] {
  const { colors, columns } = style;
  const { status, title, attempt, testsPassed, error, agentId } = task;
  const isNow = status === "running" && !hasEnded;
  const elapsedMs = isNow && task.startedAtMs !== undefined ? style.nowMs - task.startedAtMs : task.durationMs;
  const lastLine = isNow && task.lastLine !== undefined ? clean(withoutOrders(task.lastLine)) : undefined;
  const facts = [
    agentId === undefined ? task.role : style.agentName(agentId),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(testsPassed > 0 ? [`${count(testsPassed, "test")} passed`] : []),
    ...(status === "queued" ? ["queued"] : []),
  ];
  const isWide = columns >= wideColumns;
  const line = row(
    {
      indent: 2,
      cells: [
        { text: markOf(status, style), paint: paintOf(status, colors) },
        { text: clean(title), paint: status === "waiting" ? colors.dim : String },
        { text: clean(facts.filter(Boolean).join(" · ")), paint: colors.dim },
        ...(isWide && lastLine !== undefined ? [{ text: lastLine, paint: colors.dim }] : []),
      ],
      right: elapsedMs === undefined ? "" : duration(Math.max(0, elapsedMs)),
      paintRight: colors.dim,
    },
    style,
  );
  const weight = status === "completed" ? "done" : status === "waiting" || status === "queued" ? "waiting" : "always";
  return [
    { text: line, weight },
    ...(lastLine !== undefined && !isWide ? [below(lastLine, colors.dim, style)] : []),
    ...(error !== undefined && status !== "completed" ? [below(clean(error.split("\n")[0]!), colors.red, style)] : []),
  ];
}

function below(text: string, paint: (text: string) => string, { columns }: TreeStyle): Line {
  return { weight: "log", text: `${" ".repeat(Math.min(4, columns))}${paint(cutTo(text, columns - 4))}` };
}

interface Row {
  readonly indent: number;
  readonly cells: readonly { readonly text: string; readonly paint: (text: string) => string }[];
  readonly right: string;
  readonly paintRight: (text: string) => string;
}

/** Cells from the left, and one at the right edge; the last cells give way first. */
function row({ indent, cells, right, paintRight }: Row, { columns }: TreeStyle): string {
  const gap = 2;
  const rightWidth = displayWidth(right);
  const hasRight = right !== "" && rightWidth + indent + 12 < columns;
  let left = columns - indent - (hasRight ? rightWidth + gap : 0);
  const parts: string[] = [];
  for (const [at, { text, paint }] of cells.entries()) {
    // A mark stands closer than the rest.
    const space = at === 0 ? 0 : at === 1 && displayWidth(cells[0]!.text) === 1 ? 1 : gap;
    const cut = cutTo(text, left - space);
    if (cut === "" || (cut === "…" && at > 1)) break;
    parts.push(" ".repeat(space) + paint(cut));
    left -= space + displayWidth(cut);
  }
  const start = " ".repeat(Math.min(indent, columns)) + parts.join("");
  return hasRight ? `${start}${" ".repeat(left + gap)}${paintRight(right)}` : start;
}

function markOf(status: PhaseNode["status"] | TaskNode["status"], { spinner }: TreeStyle): string {
  if (status === "completed") return "✓";
  if (status === "failed") return "✗";
  return status === "running" || status === "verifying" ? spinner : "·";
}

function paintOf(status: PhaseNode["status"] | TaskNode["status"], colors: Terminal["colors"]) {
  if (status === "completed") return colors.green;
  if (status === "failed") return colors.red;
  return status === "running" || status === "verifying" ? colors.cyan : colors.dim;
}

/** From its first start to its last end, as far as known. */
function spentOn({ tasks, status }: PhaseNode, nowMs: number): number | undefined {
  const starts = tasks.flatMap(({ startedAtMs }) => startedAtMs ?? []);
  if (starts.length === 0) return undefined;
  const isRunning = status === "running" || status === "verifying";
  const ends = tasks.flatMap(({ startedAtMs, durationMs }) =>
    startedAtMs === undefined || durationMs === undefined ? [] : startedAtMs + durationMs,
  );
  const end = isRunning ? nowMs : Math.max(...ends, ...starts);
  return Math.max(0, end - Math.min(...starts));
}

function clean(text: string): string {
  return printable(text.replaceAll("\t", " "), 500);
}
