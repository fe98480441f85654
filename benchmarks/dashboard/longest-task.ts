import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** In microseconds: by the clock, and of the processor. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

export interface LongestTask {
  /** Of the processor: other programs on the machine add nothing to it, but neither does what a task waits for. */
  readonly cpuMs: number;
  /** By the clock: what a person feels, with the share that other programs took. */
  readonly wallMs: number;
}

/** The longest task of the page's main thread while something happens to it. */
export async function longestTask(browser: Browser, page: Page, happen: () => Promise<void>): Promise<LongestTask> {
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  await happen();
  const trace = JSON.parse((await browser.stopTracing()).toString("utf8")) as { traceEvents: TraceEvent[] };
  const threads = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = trace.traceEvents.filter(
    ({ name, ph, pid, tid }) => ph === "X" && name.endsWith("RunTask") && threads.has(`${pid} ${tid}`),
  );
  // Without its processor time a task would count as nothing.
  const unmeasured = tasks.filter(({ dur, tdur }) => (dur ?? 0) >= 1_000 && tdur === undefined).length;
  if (tasks.length === 0 || unmeasured > 0)
    throw new Error(`Chromium's trace has ${tasks.length} tasks, ${unmeasured} of them without processor time.`);
  const longest = (read: (task: TraceEvent) => number | undefined) =>
    tasks.reduce((most, task) => Math.max(most, (read(task) ?? 0) / 1_000), 0);
  return { cpuMs: longest(({ tdur }) => tdur), wallMs: longest(({ dur }) => dur) };
}
