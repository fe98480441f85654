import { join } from "node:path";
import { gitIsolation } from "../../../platform/git/index.ts";
import { inTurns } from "../../../platform/in-turns.ts";
import { shortened } from "../../../platform/one-line.ts";
import type { AgentHost } from "../driver.ts";

const maxErrorLength = 4_000;

const sliceBytes = 1024 * 1024;
/** As long as what is looked for, with the end of the line before it. */
const overlap = "\ncopy from ".length;

/**
 * Whether a line of a patch copies a file; looked for in slices, for a patch may have 64 MiB. To git a line begins behind a
 * line feed alone: a carriage return is part of what a file holds.
 */
export async function copiesFiles(patch: Buffer): Promise<boolean> {
  if (/^copy (?:from|to) /.test(patch.toString("latin1", 0, overlap))) return true;
  const slices = Array.from({ length: Math.ceil(patch.length / sliceBytes) }, (_, index) => index * sliceBytes);
  for await (const at of inTurns(slices))
    if (/\ncopy (?:from|to) /.test(patch.toString("latin1", Math.max(0, at - overlap), at + sliceBytes))) return true;
  return false;
}

/**
 * Applies an untrusted patch to the attempt's folder; returns why it cannot. Git runs in the agent's sandbox and within its
 * limits, because a small patch may unpack to any size. It refuses paths that leave the folder, lie beyond a link, or are
 * git's own; links that lead out are found when the engine commits the result.
 */
export async function applyPatch(
  host: Pick<AgentHost, "start">,
  folder: string,
  patch: Buffer,
  whose: "worker" | "agent" = "worker",
): Promise<string | undefined> {
  const refused = `The ${whose}'s patch cannot be applied`;
  if (patch.length === 0) return undefined;
  // Git does not check where a copy comes from: it could be any readable file. No other line begins so.
  if (await copiesFiles(patch)) return `${refused}: error: it copies files instead of containing them`;
  const git = host.start({
    command: "git",
    args: ["apply", "--whitespace=nowarn", "-"],
    // Points at no repository: one around the folder would change what paths mean, or convert line ends.
    env: { ...gitIsolation(), GIT_DIR: join(folder, "..", "no-repository") },
  });
  let errors = "";
  git.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (errors.length < maxErrorLength) errors += text;
  });
  git.stdout.resume();
  git.stdin.end(patch);
  const { exitCode } = await git.ended;
  if (exitCode === 0) return undefined;
  const lines = shortened(errors.trim().split("\n").slice(0, 5).join(" "), 1_000);
  return `${refused}: ${lines || `git ended with ${exitCode ?? "a signal"}`}`;
}
