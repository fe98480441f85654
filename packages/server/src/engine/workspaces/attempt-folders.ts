import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { BoundedCalls, stuckFileCalls } from "../../platform/project-files/index.ts";
import { removeFolder } from "../../platform/remove-folder.ts";

/** How long a slot waits for its folder to be removed; less where the disk has not answered to other calls either. */
const removalMs = { usual: 60_000, whenStuck: 500 };

/** Makes and removes the folders of attempts; refuses where the disk does not answer. */
export class AttemptFolders {
  /** One at a time: a folder on a disk that does not answer must not take every thread that removes others. */
  readonly #removals = new BoundedCalls(1);

  /** Makes an empty folder; what an earlier process left there is removed. */
  async make(folder: string): Promise<void> {
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    const make = () => mkdir(folder, { mode: 0o700 });
    await make().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      await this.remove(folder);
      await make();
    });
  }

  remove(folder: string): Promise<void> {
    const limitMs = stuckFileCalls() > 0 ? removalMs.whenStuck : removalMs.usual;
    return this.#removals.run(() => removeFolder(folder), { path: folder, limitMs });
  }
}
