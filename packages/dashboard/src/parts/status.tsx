import type { Project, ReportedVerdict, VerdictCounts } from "./shapes.ts";

export type Tone = "good" | "bad" | "busy" | "wait" | "idle";

/** Shapes differ as well as colours, and a word stands beside them: nobody needs to tell colours apart. */
const shapes: Readonly<Record<Tone, string>> = {
  good: "M3 8.5 6.5 12 13 4.5",
  bad: "M4 4l8 8M12 4l-8 8",
  busy: "M8 2a6 6 0 1 1-6 6",
  wait: "M5.5 3.5v9M10.5 3.5v9",
  idle: "M3.5 8h9",
};

/** A shape; with a label where no word stands beside it. */
export function Mark({ tone, label = "" }: { readonly tone: Tone; readonly label?: string }) {
  return (
    <svg
      class={`mark mark-${tone}`}
      viewBox="0 0 16 16"
      width="14"
      height="14"
      role="img"
      aria-label={label}
      aria-hidden={label === ""}
    >
      <path d={shapes[tone]} fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" />
    </svg>
  );
}

/** A word with a shape and a colour. */
export function Chip({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span class={`chip chip-${tone}`}>
      <Mark tone={tone} />
      {children}
    </span>
  );
}

const waits = {
  approval: "Needs approval",
  agent: "Waits for an agent",
  paused: "Paused",
  debug: "Debugging",
} as const;

/** The status of a project, or what it waits for. */
export function ProjectChip({ project }: { readonly project: Pick<Project, "status" | "waiting_for" | "error"> }) {
  const { status, waiting_for, error } = project;
  if (status === "deployed") return <Chip tone="good">Deployed</Chip>;
  if (status === "failed") return <Chip tone="bad">{error?.code === "cancelled" ? "Cancelled" : "Failed"}</Chip>;
  if (waiting_for !== null) return <Chip tone="wait">{waits[waiting_for]}</Chip>;
  if (status === "specification") return <Chip tone="idle">Queued</Chip>;
  return <Chip tone="busy">{status[0]!.toUpperCase() + status.slice(1)}</Chip>;
}

export const taskTones = {
  waiting: "idle",
  queued: "wait",
  running: "busy",
  verifying: "busy",
  completed: "good",
  failed: "bad",
} as const;

/** The status of a task or a phase. */
export function WorkChip({ status }: { readonly status: keyof typeof taskTones }) {
  return <Chip tone={taskTones[status]}>{status}</Chip>;
}

const verdictTones = { passed: "good", failed: "bad", not_checked: "idle", waived: "wait" } as const;
const verdictWords = { passed: "passed", failed: "failed", not_checked: "not checked", waived: "waived" } as const;

/** The verdict on a line. What nobody checked is never shown as passed. */
export function VerdictChip({ verdict }: { readonly verdict: ReportedVerdict }) {
  return <Chip tone={verdictTones[verdict]}>{verdictWords[verdict]}</Chip>;
}

/** How many lines hold, fail and are not checked. */
export function Counts({ checks }: { readonly checks: VerdictCounts | null }) {
  if (checks === null) return <span class="faint">not checked yet</span>;
  const shown = (["passed", "failed", "not_checked", "waived"] as const).filter(
    (verdict) => checks[verdict] > 0 || verdict === "passed",
  );
  return (
    <span class="counts">
      {shown.map((verdict) => (
        <span key={verdict} class={`count count-${verdictTones[verdict]}`}>
          <Mark tone={verdictTones[verdict]} />
          {checks[verdict]} {verdictWords[verdict]}
        </span>
      ))}
    </span>
  );
}

/** A bar that fills. No `progress`: a long list would lay out the hidden parts of each. */
export function Progress({ value, label }: { readonly value: number; readonly label: string }) {
  const percent = Math.round(value * 100);
  return (
    <span class="progress">
      <span role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent}>
        <span style={{ width: `${percent}%` }} />
      </span>
      <span class="progress-number">{percent} %</span>
    </span>
  );
}
