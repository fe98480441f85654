import type { AcceptanceLine } from "@slipway/spec";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import { SecretFinder } from "../../platform/secrets/index.ts";
import type { EvidenceBytes, LineVerdict } from "../verdict.ts";
import { findBrowser, howToGetBrowser } from "./find-browser.ts";
import { flowEvidence } from "./flow-evidence.ts";
import type { WrittenStep } from "./flow-step.ts";
import type { FlowEnd } from "./inside/messages.ts";
import { readFlow } from "./read-flow.ts";
import { type LostFlow, runFlows } from "./run-flows.ts";

/** Flows of one verification; the rest is not checked. */
const maxFlows = 20;

interface FlowsToCheck {
  readonly lines: readonly AcceptanceLine[];
  /** Of the started software. */
  readonly url: string;
  /** The ports of its services. */
  readonly servicePorts: readonly number[];
  /** Values that no picture may show. */
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
  /** The path of the browser; left out: this machine's. */
  readonly findBrowser?: () => Promise<string | undefined>;
  /** For each thing that is looked for, and for a whole flow. */
  readonly stepMs?: number;
  readonly flowMs?: number;
}

interface CheckedFlows {
  readonly verdicts: readonly LineVerdict[];
  readonly evidence: readonly EvidenceBytes[];
}

interface Followable {
  readonly pointer: string;
  readonly steps: readonly WrittenStep[];
}

/** Whether a line is a flow whose steps are understood: it can be followed in a browser once the software runs. */
export function isFollowable(line: AcceptanceLine): boolean {
  const read = readLine(line);
  return read !== undefined && !("problem" in read);
}

/** Says of each flow that is not understood why it is not checked. */
export function judgeUnreadFlows(lines: readonly AcceptanceLine[]): readonly LineVerdict[] {
  return lines.flatMap((line) => {
    const read = readLine(line);
    return read !== undefined && "problem" in read ? [notChecked(line.pointer, read.problem)] : [];
  });
}

/** Follows the flows of a document in a browser, and judges each that is understood. */
export async function checkFlows(
  sandbox: Pick<Sandbox, "startProcess" | "found" | "temporary">,
  { lines, secrets, findBrowser: find = findBrowser, ...toCheck }: FlowsToCheck,
): Promise<CheckedFlows> {
  const all = lines.flatMap((line): Followable[] => {
    const read = readLine(line);
    return read === undefined || "problem" in read ? [] : [{ pointer: line.pointer, steps: read }];
  });
  if (all.length === 0) return { verdicts: [], evidence: [] };
  const browser = await find();
  const why = browser === undefined ? noBrowser : whyNotHere(sandbox.found);
  if (browser === undefined || why !== undefined)
    return { verdicts: all.map(({ pointer }) => notChecked(pointer, why ?? noBrowser)), evidence: [] };
  const flows = all.slice(0, maxFlows);
  const ran = await runFlows(sandbox, { ...toCheck, browser, flows: flows.map(({ steps }) => steps) });
  try {
    const finder = new SecretFinder(secrets);
    const evidence: EvidenceBytes[] = [];
    const tooMany = `Only the first ${maxFlows} flows are followed in a browser.`;
    const verdicts = all.slice(maxFlows).map(({ pointer }) => notChecked(pointer, tooMany));
    for (const [index, { pointer, steps }] of flows.entries()) {
      const end = ran.ends[index]!;
      const name = `${index + 1}-${pointer
        .slice(1)
        .replaceAll(/[^\w-]+/g, "-")
        .slice(0, 100)}`;
      const isLost = "isLimit" in end;
      const kept = isLost ? [] : await flowEvidence(end, { folder: ran.folder, name, signal: toCheck.signal }, finder);
      evidence.push(...kept);
      verdicts.push({ pointer, ...judge(steps, end), evidence: kept.map(({ path }) => path) });
    }
    return { verdicts, evidence };
  } finally {
    await ran.remove();
  }
}

/** The steps of a line that is a flow; undefined for other lines. */
function readLine({ check }: AcceptanceLine): ReturnType<typeof readFlow> | undefined {
  const isFlow = check.kind === "named" && check.command === undefined && flowKeys.includes(check.name);
  return isFlow ? readFlow(check.value) : undefined;
}

const flowKeys = ["ux_flows", "user_flows"];
const noBrowser = `There is no browser on this machine. ${howToGetBrowser}`;

function notChecked(pointer: string, reason: string): LineVerdict {
  return { pointer, verdict: "not_checked", reason };
}

/** A browser that nothing contains, and that cannot contain its own pages, is not let loose on a stranger's page. */
function whyNotHere({ kind }: Sandbox["found"]): string | undefined {
  if (kind === "bubblewrap" || process.geteuid?.() !== 0) return undefined;
  return "Without bubblewrap, a service that runs as root starts no browser. Install bubblewrap, or run the service as another user.";
}

function judge(steps: readonly WrittenStep[], end: FlowEnd | LostFlow): Omit<LineVerdict, "pointer"> {
  if ("isLimit" in end) {
    const reason = `The browser ended at step ${end.step + 1}, ${steps[end.step]?.written}. ${end.why}`;
    return { verdict: end.isLimit ? "failed" : "not_checked", reason };
  }
  const { failed, durationMs, blocked } = end;
  const done = steps.length === 1 ? "The step was" : `All ${steps.length} steps were`;
  if (failed === undefined) return { verdict: "passed", reason: `${done} done in a browser.`, durationMs };
  const refused =
    blocked.length === 0 ? "" : ` The page asked for ${blocked.slice(0, 3).join(", ")}, which it cannot reach here.`;
  const { written = "" } = steps[failed.step] ?? {};
  const reason = `Step ${failed.step + 1}, ${written}: ${failed.why}. ${failed.context}${refused}`;
  return { verdict: "failed", reason: reason.trim(), durationMs };
}
