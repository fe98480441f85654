import { setTimeout as delay } from "node:timers/promises";
import { causeLine } from "../../platform/cause-line.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { scriptTooLong } from "../script-too-long.ts";
import type { ScriptRequest } from "../supervisor/index.ts";
import type { Cluster } from "./cluster.ts";
import { explainPods } from "./explain-pods.ts";
import { own, releaseLabels } from "./object-names.ts";
import { jobName, type ReleaseToRender, renderJob } from "./render-release.ts";
import { untilGone } from "./roll-out.ts";

const maxPauseMs = 1000;
const maxLogLines = 10_000;
const maxGoneMs = 60_000;

/** Runs a script of a version as a Job; says why it failed. */
export async function runJob(
  cluster: Cluster,
  release: ReleaseToRender,
  { name, command, env, limitMs, secrets, onOutput }: ScriptRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const job = jobName(release.releaseId, name);
  const labels = { ...releaseLabels(release.host, release), [own.program]: name };
  // A Job cannot be changed: one that an interrupted attempt left is made anew.
  await cluster.remove("Job", job);
  await untilGone(cluster, labels, maxGoneMs);
  const startedAt = performance.now();
  try {
    await cluster.apply(renderJob(release, { name, command, env, limitMs }));
    for (let pauseMs = 50; ; pauseMs = Math.min(maxPauseMs, pauseMs * 1.5)) {
      const conditions = (await cluster.read("Job", job))?.status?.conditions ?? [];
      const end = conditions.find(({ type, status }) => ["Complete", "Failed"].includes(type) && status === "True");
      const pods = (await cluster.list("Pod", labels)).items;
      const trouble = explainPods(`scripts.${name}`, pods);
      const isLate = performance.now() - startedAt > limitMs;
      if (end === undefined && !isLate && !(trouble?.isFinal && !trouble.hasEnded)) {
        await delay(pauseMs, undefined, { signal });
        continue;
      }
      const said = await tellLog(cluster, pods.at(-1)?.metadata?.name, Object.values(secrets), onOutput);
      if (end?.type === "Complete") return undefined;
      const isTooLong = isLate || end?.reason === "DeadlineExceeded";
      const why = isTooLong
        ? scriptTooLong(name, limitMs)
        : (trouble?.reason ?? `scripts.${name} failed${end?.message === undefined ? "." : `: ${end.message}`}`);
      return `${why} ${said}`.trim();
    }
  } finally {
    await cluster.remove("Job", job).catch(() => undefined);
  }
}

/** Tells what a pod wrote; returns what of it says why. */
async function tellLog(
  cluster: Cluster,
  pod: string | undefined,
  secrets: readonly string[],
  onOutput: (text: string) => void,
): Promise<string> {
  if (pod === undefined) return "";
  const raw = await cluster.readLog(pod, { isPrevious: false, lines: maxLogLines });
  const text = new Masker(secrets).mask(raw);
  onOutput(text);
  return causeLine(text, 500);
}
