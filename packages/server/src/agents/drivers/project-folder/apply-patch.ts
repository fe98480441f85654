import { join } from "node:path";
import { gitIsolation } from "../../../platform/git/index.ts";
import type { AgentHost } from "../driver.ts";

const maxComplaintBytes = 4_000;

/**
 * Applies a stranger's patch to the folder of the attempt; says why it could not be. Git runs as the agent's own program, in its
 * sandbox and within its limits: a small patch may unpack to any size. It refuses paths that leave the folder, lie beyond a link,
 * or are git's own; links that lead out are found when the result is taken.
 */
export async function applyPatch(
  host: Pick<AgentHost, "start">,
  folder: string,
  patch: Buffer,
  whose: "worker" | "agent" = "worker",
): Promise<string | undefined> {
  const refused = `The ${whose}'s patch cannot be applied`;
  if (patch.length === 0) return undefined;
  // Git does not look where a copy comes from: it could be any file that can be read. No other line begins so.
  if (/^copy (?:from|to) /m.test(patch.toString("latin1")))
    return `${refused}: error: it copies files, instead of bringing what is in them`;
  const git = host.start({
    command: "git",
    args: ["apply", "--whitespace=nowarn", "-"],
    // No repository, whatever lies around the folder: git would take its paths for others, or have it convert line ends.
    env: { ...gitIsolation(), GIT_DIR: join(folder, "..", "no-repository") },
  });
  let complaint = "";
  git.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (complaint.length < maxComplaintBytes) complaint += text;
  });
  git.stdout.resume();
  git.stdin.end(patch);
  const { exitCode } = await git.ended;
  if (exitCode === 0) return undefined;
  const lines = complaint.trim().split("\n").slice(0, 5).join(" ").slice(0, 1_000);
  return `${refused}: ${lines || `git ended with ${exitCode ?? "a signal"}`}`;
}
