import { listProjectFolder } from "../../../platform/project-files/index.ts";
import type { AgentHost } from "../driver.ts";

const maxBytes = 8 * 1024 * 1024;

export type Packed = { readonly bytes: Buffer } | { readonly problem: string };

/** Packs the project's files for a remote agent; undefined if there are none. */
export async function packProject(host: Pick<AgentHost, "start">, folder: string): Promise<Packed | undefined> {
  if ((await listProjectFolder(folder, ".", { skipsOddNames: true })).length === 0) return undefined;
  // Runs like a program of the agent: in its sandbox, within its limits.
  const tar = host.start({ command: "tar", args: ["-czf", "-", "--exclude=./.git", "."] });
  tar.stdin.end();
  let complaint = "";
  tar.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, 1_000);
  });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of tar.stdout) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) {
      tar.kill();
      return {
        problem: `The project's files take more than ${maxBytes / 1024 ** 2} MiB packed, the maximum for a remote agent.`,
      };
    }
    chunks.push(chunk as Buffer);
  }
  const { exitCode } = await tar.ended;
  if (exitCode !== 0)
    return { problem: `The project's files could not be packed: ${complaint.trim() || `tar ended with ${exitCode}`}` };
  return { bytes: Buffer.concat(chunks) };
}
