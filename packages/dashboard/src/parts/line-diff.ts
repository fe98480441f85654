/** A line of a comparison; numbers count from 1. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/** More differences than a person reads: then everything between counts as replaced. */
const maxEdits = 1_500;

/** Compares two texts line by line, with the fewest lines added and removed (Myers 1986). */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let from = 0;
  while (from < before.length && from < after.length && before[from] === after[from]) from++;
  let cut = 0;
  while (
    cut < before.length - from &&
    cut < after.length - from &&
    before[before.length - 1 - cut] === after[after.length - 1 - cut]
  )
    cut++;
  const middle = diffMiddle(before.slice(from, before.length - cut), after.slice(from, after.length - cut));
  const head = before.slice(0, from).map((text) => ({ kind: "same", text }) as const);
  const tail = before.slice(before.length - cut).map((text) => ({ kind: "same", text }) as const);
  return numbered([...head, ...middle, ...tail]);
}

type Step = Pick<DiffLine, "kind" | "text">;

function diffMiddle(before: readonly string[], after: readonly string[]): Step[] {
  const trace = findPath(before, after);
  if (trace === undefined)
    return [
      ...before.map((text) => ({ kind: "removed", text }) as const),
      ...after.map((text) => ({ kind: "added", text }) as const),
    ];
  const steps: Step[] = [];
  let [x, y] = [before.length, after.length];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reached = trace[edits]!;
    const at = (diagonal: number) => reached[diagonal + edits] ?? -1;
    const diagonal = x - y;
    const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
    const previous = isDown ? diagonal + 1 : diagonal - 1;
    const startX = edits === 0 ? 0 : at(previous);
    const startY = edits === 0 ? 0 : startX - previous;
    while (x > startX && y > startY && x > 0 && y > 0) {
      steps.push({ kind: "same", text: before[x - 1]! });
      x--;
      y--;
    }
    if (edits === 0) break;
    if (isDown) steps.push({ kind: "added", text: after[startY]! });
    else steps.push({ kind: "removed", text: before[startX]! });
    [x, y] = [startX, startY];
  }
  return steps.reverse();
}

/** For each number of edits, how far each diagonal reached before it; undefined if there are too many. */
function findPath(before: readonly string[], after: readonly string[]): Int32Array[] | undefined {
  const trace: Int32Array[] = [];
  const furthest = new Map<number, number>([[1, 0]]);
  for (let edits = 0; edits <= maxEdits; edits++) {
    trace.push(Int32Array.from({ length: 2 * edits + 1 }, (_, index) => furthest.get(index - edits) ?? -1));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [left, right] = [furthest.get(diagonal - 1) ?? -1, furthest.get(diagonal + 1) ?? -1];
      let x = diagonal === -edits || (diagonal !== edits && left < right) ? right : left + 1;
      let y = x - diagonal;
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x++;
        y++;
      }
      furthest.set(diagonal, x);
      if (x >= before.length && y >= after.length) return trace;
    }
  }
  return undefined;
}

function numbered(steps: readonly Step[]): DiffLine[] {
  let [before, after] = [0, 0];
  return steps.map((step) => {
    if (step.kind !== "added") before++;
    if (step.kind !== "removed") after++;
    return { ...step, ...(step.kind !== "added" && { before }), ...(step.kind !== "removed" && { after }) };
  });
}

/** The parts of a comparison that differ, each with some lines around it. */
export function hunksOf(lines: readonly DiffLine[], around = 3): DiffLine[][] {
  const hunks: DiffLine[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, line] of lines.entries()) {
    if (line.kind === "same") continue;
    const from = Math.max(index - around, last + 1);
    if (index - around > last || hunks.length === 0) hunks.push([]);
    hunks.at(-1)!.push(...lines.slice(Math.max(0, from), index + 1));
    last = index;
    const following = lines.slice(index + 1, index + 1 + around);
    const same = following.findIndex(({ kind }) => kind !== "same");
    const tail = same === -1 ? following : following.slice(0, same);
    hunks.at(-1)!.push(...tail);
    last += tail.length;
  }
  return hunks;
}
