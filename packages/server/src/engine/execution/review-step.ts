import { reviewPath } from "@slipway/spec";
import { oneLine } from "../../platform/one-line.ts";
import { FileRefusal, moveAside, readProjectFile } from "../../platform/project-files/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { NewArtifact, RunError } from "../lifecycle/index.ts";
import { askAgent } from "./ask-agent.ts";
import type { BuildDeps } from "./build-step.ts";
import type { StepInput } from "./step-input.ts";
import { storeText } from "./store-artifact.ts";
import { withAside } from "./with-aside.ts";

const maxReviewBytes = 256 * 1024;
const maxQuoted = 1_000;

/** Lets an agent review the result. What it writes is kept as an artifact; what else it changes is thrown away. */
export async function reviewStep(deps: BuildDeps, input: StepInput): Promise<void> {
  const { attempt, context, workspace, secrets } = input;
  let aside: string | undefined;
  // Whoever built the result may have answered beforehand; the reviewer reads that like all of the result.
  const folder = await workspace.prepareForAgent(deps, attempt, async (filled) => {
    aside = await moveAside(filled, reviewPath, { signal: attempt.signal });
  });
  const task = aside === undefined ? context.task : withAside(context.task, reviewPath, aside);
  const report = await askAgent(deps, { ...input, context: { ...context, task }, folder });
  if (report.is === "failed") {
    const { code, message } = report;
    await attempt.finish({ is: "failed", error: { code, message }, isFinal: code === "cannot_review" });
    return;
  }
  const written = await readReview(folder.path, attempt.signal);
  if (written === undefined) {
    await attempt.finish({ is: "failed", error: noVerdict(context.task.role) });
    return;
  }
  // It is kept and quoted: also what the operator passes on to the agent must not be in it.
  const ofAgent = deps.findAgent(attempt.agentId)?.secrets?.() ?? [];
  const text = await new Masker([...ofAgent, ...Object.values(secrets)]).maskInSlices(written);
  const artifacts = [await storeReview(deps, input, text)];
  const verdict = verdictOf(text);
  if (verdict === "accepted") await attempt.finish({ is: "succeeded", artifacts });
  else if (verdict === "refused")
    await attempt.finish({ is: "failed", error: refusal(context.task.role, text), isFinal: true, artifacts });
  else await attempt.finish({ is: "failed", error: noVerdict(context.task.role), artifacts });
}

/** Undefined if there is none. */
async function readReview(folder: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await readProjectFile(folder, reviewPath, { maxBytes: maxReviewBytes, signal })).toString("utf8");
  } catch (error) {
    if (error instanceof FileRefusal && error.code === "missing") return undefined;
    throw error;
  }
}

function verdictOf(text: string): "accepted" | "refused" | undefined {
  const [, verdict] = /^\s*(?:[#*_-]{1,6}\s*)?verdict:?[\s*_]{0,4}:?\s{0,4}(accepted|refused)\b/i.exec(text) ?? [];
  return verdict?.toLowerCase() as "accepted" | "refused" | undefined;
}

async function storeReview({ blobs }: BuildDeps, { attempt, context }: StepInput, text: string): Promise<NewArtifact> {
  const path = `reviews/${encodeURIComponent(context.task.id)}.md`;
  return storeText(blobs, attempt.projectId, {
    type: "review",
    path,
    mediaType: "text/markdown; charset=utf-8",
    text: text.toWellFormed(),
  });
}

function refusal(role: string, text: string): RunError {
  const [first = ""] = text.split("\n", 1);
  const reason = oneLine(text.slice(first.length), maxQuoted);
  return { code: "review_refused", message: `The ${role} refused the result: ${reason || "no reason was given"}` };
}

function noVerdict(role: string): RunError {
  const message = `The ${role} gave no verdict: '${reviewPath}' must begin with 'verdict: accepted' or 'verdict: refused'.`;
  return { code: "no_verdict", message };
}
