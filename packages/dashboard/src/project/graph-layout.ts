import type { Phase, Task } from "@slipway/contract";
import { layersOf } from "./phase-layers.ts";

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where everything of the graph stands, in pixels. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly phases: readonly (Box & { readonly phase: Phase; readonly hasFailed: boolean })[];
  readonly tasks: readonly (Box & { readonly task: Task })[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly path: string }[];
  /** Nobody could tell the edges of tasks apart: only those of the wanted task are among them. */
  readonly isDense: boolean;
}

const node = { width: 190, height: 34 };
const gap = { x: 34, y: 8 };
const header = 38;
const pad = 10;
const phaseGap = 44;
/** A column that is longer goes on beside itself: nobody scrolls through three hundred rows. */
const maxRows = 12;

const maxEdges = 5_000;

/** Phases from left to right in the order they can run; within a phase, its tasks likewise. */
export function layOut(phases: readonly Phase[], tasks: readonly Task[], wanted = ""): GraphLayout {
  const placedPhases: GraphLayout["phases"][number][] = [];
  const placed = new Map<string, GraphLayout["tasks"][number]>();
  const byPhase = Map.groupBy(tasks, ({ phase }) => phase);
  let x = pad;
  let height = 0;
  for (const layer of layersOf(phases)) {
    let y = pad;
    let width = 0;
    for (const phase of layer) {
      const own = byPhase.get(phase.name) ?? [];
      const columns = columnsOf(own);
      const rows = Math.max(0, ...columns.map(({ length }) => length));
      const box = {
        x,
        y,
        width: Math.max(1, columns.length) * (node.width + gap.x) - gap.x + 2 * pad,
        height: header + (rows === 0 ? 0 : rows * (node.height + gap.y) + pad - gap.y),
      };
      placedPhases.push({ ...box, phase, hasFailed: own.some(({ status }) => status === "failed") });
      for (const [column, inside] of columns.entries())
        for (const [row, task] of inside.entries()) {
          const left = x + pad + column * (node.width + gap.x);
          placed.set(task.task_id, { ...node, task, x: left, y: y + header + row * (node.height + gap.y) });
        }
      y += box.height + gap.y * 2;
      width = Math.max(width, box.width);
    }
    height = Math.max(height, y);
    x += width + phaseGap;
  }
  const isDense = tasks.reduce((sum, task) => sum + task.depends_on.length, 0) > maxEdges;
  const edges = [...phaseEdges(placedPhases), ...taskEdges(placed, isDense ? wanted : undefined)];
  return { width: x - phaseGap + pad, height, phases: placedPhases, tasks: [...placed.values()], edges, isDense };
}

/** The tasks of a phase in columns: each stands right of all that it waits for. */
function columnsOf(tasks: readonly Task[]): Task[][] {
  const depths = new Map<string, number>();
  const own = new Set(tasks.map(({ task_id }) => task_id));
  const layers: Task[][] = [];
  // The service lists tasks in an order in which they can run.
  for (const task of tasks) {
    const before = task.depends_on.filter((id) => own.has(id)).map((id) => depths.get(id) ?? -1);
    const depth = Math.max(-1, ...before) + 1;
    depths.set(task.task_id, depth);
    layers[depth] ??= [];
    layers[depth].push(task);
  }
  return layers.flatMap((layer) =>
    Array.from({ length: Math.ceil(layer.length / maxRows) }, (_, part) =>
      layer.slice(part * maxRows, (part + 1) * maxRows),
    ),
  );
}

function phaseEdges(phases: GraphLayout["phases"]): GraphLayout["edges"][number][] {
  const byName = new Map(phases.map((one) => [one.phase.name, one]));
  return phases.flatMap((to) =>
    to.phase.depends_on.flatMap((name) => {
      const from = byName.get(name);
      if (from === undefined) return [];
      const path = curve(from.x + from.width, from.y + header / 2, to.x, to.y + header / 2);
      return [{ from: name, to: to.phase.name, path }];
    }),
  );
}

/** Only within a phase: between phases the phases' own edges say the same. Where one task is given, only those of it. */
function taskEdges(
  placed: ReadonlyMap<string, GraphLayout["tasks"][number]>,
  only: string | undefined,
): GraphLayout["edges"][number][] {
  return [...placed.values()].flatMap((to) =>
    to.task.depends_on.flatMap((id) => {
      if (only !== undefined && id !== only && to.task.task_id !== only) return [];
      const from = placed.get(id);
      if (from === undefined || from.task.phase !== to.task.phase) return [];
      const path = curve(from.x + from.width, from.y + node.height / 2, to.x, to.y + node.height / 2);
      return [{ from: id, to: to.task.task_id, path }];
    }),
  );
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const bend = Math.max(16, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
