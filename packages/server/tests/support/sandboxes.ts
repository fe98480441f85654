import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import {
  createSandbox,
  type FoundSandbox,
  type ProcessEnd,
  type ProcessLimits,
  type ProcessOptions,
  Sandbox,
  type SandboxedProcess,
  type SandboxMode,
} from "../../src/platform/sandbox/index.ts";
import { ampleLimits } from "./ample-limits.ts";

const contained = await found("auto");
const plain = await found("none");

/** Why tests with bubblewrap are skipped on this machine; undefined if they run. */
export const noBubblewrap = contained.kind === "bubblewrap" ? undefined : contained.reasons[0];

/** Every kind of sandbox that this machine supports. */
export const ways = noBubblewrap === undefined ? (["bubblewrap", "plain"] as const) : (["plain"] as const);
if (noBubblewrap !== undefined) console.warn(`tests with bubblewrap are skipped: ${noBubblewrap}`);

type Asked = Partial<Omit<ProcessOptions, "limits">> &
  Pick<ProcessOptions, "command"> & { readonly limits?: Partial<ProcessLimits> };

/** A sandbox with a folder to work in; both are gone after the test. */
export function sandboxFor(way: "bubblewrap" | "plain") {
  const place = mkdtempSync(join(tmpdir(), "slipway-sandbox-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const folder = mkdtempSync(join(place, "worktree-"));
  const dataFolder = join(place, "data");
  const sandbox = new Sandbox({ found: way === "plain" ? plain : contained, dataFolder });
  let runs = 0;
  const start = async (asked: Asked): Promise<{ child: SandboxedProcess; runId: string }> => {
    runs += 1;
    const runId = `test-${process.pid}-${runs}-${Math.random().toString(36).slice(2)}`;
    const child = await sandbox.startProcess({ runId, folder, ...asked, limits: { ...ampleLimits, ...asked.limits } });
    onTestFinished(() => child.kill({ graceMs: 0 }));
    return { child, runId };
  };
  /** Runs it to its end. */
  const run = async (asked: Asked) => {
    const { child, runId } = await start(asked);
    const [stdout, stderr, end]: [string, string, ProcessEnd] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      child.ended,
    ]);
    return { stdout, stderr, end, runId };
  };
  return { sandbox, place, folder, dataFolder, start, run };
}

/** Processes that carry the run's marker, dead ones left out. A process lives as long as one of its threads. */
export function livingOf(runId: string): number[] {
  const carries = (thread: number) => read(`/proc/${thread}/environ`).split("\0").includes(`SLIPWAY_RUN=${runId}`);
  const lives = (thread: number) => !/\) [ZX] /.test(read(`/proc/${thread}/stat`));
  const isLiving = (pid: number) => idsIn(`/proc/${pid}/task`).some((thread) => carries(thread) && lives(thread));
  return idsIn("/proc").filter(isLiving);
}

async function found(mode: SandboxMode): Promise<FoundSandbox> {
  return (await createSandbox({ mode, dataFolder: join(tmpdir(), "slipway-sandboxes") })).found;
}

function idsIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .map(Number)
      .filter((id) => id > 0);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
