import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { TemporaryFolders } from "../temporary-folders.ts";
import { makeRepository } from "./repository.ts";
import { runGit } from "./run-git.ts";

interface RemoteFile {
  /** The remote's address, from the operator. */
  readonly url: string;
  /** A name that git allows. */
  readonly branch: string;
  readonly path: string;
  /** Shown to the remote as a password; undefined: it wants none. */
  readonly token: string | undefined;
  /** Where the repository lies meanwhile. */
  readonly temporary: Pick<TemporaryFolders, "makeInDataFolder">;
  readonly maxBytes: number;
  readonly limitMs: number;
}

/** Fetches one file from the head of a branch of a remote. Throws a `WorkspaceError` if it cannot be had. */
export async function fetchFile({
  url,
  branch,
  path,
  token,
  temporary,
  maxBytes,
  limitMs,
}: RemoteFile): Promise<Buffer> {
  const place = await temporary.makeInDataFolder("fetch");
  const repository = { gitDir: join(place, "repository"), limitMs };
  try {
    await makeRepository(repository);
    const protocol = new URL(url).protocol.replace(/:$/, "");
    await runGit(
      repository,
      // Small files only, where the remote can leave out others: all that is read is one.
      [
        "fetch",
        "--quiet",
        "--no-tags",
        "--depth=1",
        `--filter=blob:limit=${maxBytes}`,
        url,
        `+refs/heads/${branch}:refs/heads/fetched`,
      ],
      {
        config: [`protocol.${protocol}.allow=always`, "http.followRedirects=false", "fetch.fsckObjects=true"],
        ...(token !== undefined && { secretConfig: { "http.extraHeader": `Authorization: Basic ${basic(token)}` } }),
      },
    );
    const { stdout } = await runGit(repository, ["cat-file", "blob", `refs/heads/fetched:${path}`], {
      maxOutputBytes: maxBytes,
    });
    return stdout;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** GitHub, GitLab and Gitea take a token as the password of any user. */
function basic(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString("base64");
}
