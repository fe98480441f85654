import { setTimeout as delay } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import { causeLine } from "../../platform/cause-line.ts";
import { shortened } from "../../platform/one-line.ts";
import { type Masked, Masker, ownWords, partOf } from "../../platform/secrets/index.ts";
import type { Cluster, Labels } from "./cluster.ts";
import { explainPods } from "./explain-pods.ts";
import { secretsIn } from "./secrets-in.ts";
import { isRolledOut, podsOf } from "./seen-releases.ts";

export interface RollOut {
  /** The name of the Deployment. */
  readonly name: string;
  readonly labels: Labels;
  /** What people call the program. */
  readonly label: string;
  readonly limitMs: number;
  /** The version that it is a part of. */
  readonly releaseId: string;
  readonly signal: AbortSignal | undefined;
}

const firstPauseMs = 50;
const maxPauseMs = 1000;

/** Waits until all copies of a program are well; says why they are not, after the time that they have. */
export async function rollOut(cluster: Cluster, rolled: RollOut): Promise<Masked | undefined> {
  const { name, labels, label, limitMs, signal } = rolled;
  const endsAt = performance.now() + limitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 1.5)) {
    const deployment = await cluster.read("Deployment", name);
    if (deployment === undefined) return ownWords`It was removed from the cluster meanwhile.`;
    if (isRolledOut(deployment)) return undefined;
    const pods = podsOf(deployment, (await cluster.list("Pod", labels)).items);
    const trouble = explainPods(label, pods);
    const isLate =
      performance.now() > endsAt ||
      deployment.status?.conditions?.some(({ reason }) => reason === "ProgressDeadlineExceeded");
    if (trouble?.isFinal) return withLog(cluster, trouble.reason, trouble.hasEnded ? trouble.pod : undefined, rolled);
    if (isLate) {
      const pod = trouble?.pod ?? pods[0]?.metadata?.name;
      const reason = `${label} was not ready within ${Math.round(limitMs / 1000)} seconds. ${trouble?.reason ?? (await lastWarning(cluster, pods))}`;
      return withLog(cluster, reason.trim(), pod, rolled);
    }
    await delay(pauseMs, undefined, signal && { signal });
  }
}

/** Waits until no pod with these labels is left. */
export async function untilGone(cluster: Cluster, labels: Labels, limitMs: number): Promise<void> {
  const endsAt = performance.now() + limitMs;
  for (let pauseMs = firstPauseMs; performance.now() < endsAt; pauseMs = Math.min(maxPauseMs, pauseMs * 1.5)) {
    if ((await cluster.list("Pod", labels)).items.length === 0) return;
    await delay(pauseMs);
  }
}

/** What the cluster complained about last: failed probes stand nowhere else. */
async function lastWarning(cluster: Cluster, pods: readonly V1Pod[]): Promise<string> {
  const name = pods[0]?.metadata?.name;
  if (name === undefined) return "The cluster has made no pod for it.";
  const { items } = await cluster.list("Event", {}, { "involvedObject.name": name });
  const said = items.filter(({ type }) => type === "Warning").at(-1)?.message;
  return shortened(said ?? "", 300);
}

/** The reason, with what a pod's log says of it: all of it masked. */
async function withLog(
  cluster: Cluster,
  reason: string,
  pod: string | undefined,
  { releaseId }: RollOut,
): Promise<Masked> {
  const [secrets, text] = await Promise.all([
    secretsIn(cluster, releaseId),
    pod === undefined ? "" : lastLogOf(cluster, pod),
  ]);
  const masker = new Masker(secrets);
  const said = partOf(masker.mask(text), (log) => causeLine(log, 500));
  const why = masker.mask(reason);
  return said === "" ? why : ownWords`${why} ${said}`;
}

/** So many that the stack of an error is among them, with the error above it. */
const maxLogLines = 40;

async function lastLogOf(cluster: Cluster, pod: string): Promise<string> {
  const ended = await cluster.readLog(pod, { isPrevious: true, lines: maxLogLines });
  return ended === "" ? cluster.readLog(pod, { isPrevious: false, lines: maxLogLines }) : ended;
}
