import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { removeFolder } from "../platform/remove-folder.ts";
import { removeUnusedCurrents } from "./releases/index.ts";

/** Where the files of deployments are: of each version, and the data that outlives versions. */
export class ReleaseFolders {
  readonly #folder: string;

  /** The folder holds one folder a deployment. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The files of a version. */
  release(deploymentId: string, releaseId: string): string {
    return join(this.#releases(deploymentId), releaseId);
  }

  /** The stable path that leads to the files of the version that is live. */
  current(deploymentId: string): string {
    return join(this.#folder, deploymentId, "current");
  }

  /** The archive with the files of a version as they were built. */
  sealed(deploymentId: string, releaseId: string): string {
    return join(this.#sealed(deploymentId), `${releaseId}.tar`);
  }

  /** Makes what the folder of a version will lie in. */
  async makeRoom(deploymentId: string): Promise<void> {
    await mkdir(this.#releases(deploymentId), { recursive: true, mode: 0o700 });
  }

  /** The folder with the data of a deployment; made if it is missing. */
  async makeData(deploymentId: string): Promise<string> {
    const folder = join(this.#folder, deploymentId, "data");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Removes the files of versions that are not among these. */
  async keepOnly(deploymentId: string, releaseIds: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.#releases(deploymentId)).catch(() => []))
      if (!releaseIds.has(name)) await removeFolder(join(this.#releases(deploymentId), name));
    for (const name of await readdir(this.#sealed(deploymentId)).catch(() => []))
      if (!releaseIds.has(name.replace(/\.tar$/, "")))
        await rm(join(this.#sealed(deploymentId), name), { force: true });
    await removeUnusedCurrents(this.current(deploymentId), (folder) => !releaseIds.has(basename(folder)));
  }

  /** Removes everything of a deployment. */
  async remove(deploymentId: string): Promise<void> {
    // The id may have come over a channel: nothing but one folder of ours may be removed by it.
    if (!/^dep_\w+$/.test(deploymentId)) return;
    await removeFolder(join(this.#folder, deploymentId));
  }

  #sealed(deploymentId: string): string {
    return join(this.#folder, deploymentId, "sealed");
  }

  #releases(deploymentId: string): string {
    return join(this.#folder, deploymentId, "releases");
  }
}
