import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { pause } from "../../platform/pause.ts";
import { BoundedCalls, FileRefusal, stuckFileCalls } from "../../platform/project-files/index.ts";
import { removeByProgram, removeSmallFolder } from "../../platform/remove-folder.ts";

/** How long a slot waits for its folder to be removed; less where the disk has not answered to other calls either. */
const usualMs = { small: 60_000, large: 60_000, whenStuck: 500 };

/** On a disk that does not answer, none of them ends. */
const maxPrograms = 32;

/** Makes and removes the folders of attempts; refuses where the disk does not answer. */
export class AttemptFolders {
  /** One at a time: a folder on a disk that does not answer must not take every thread that removes others. */
  readonly #small = new BoundedCalls(1);
  /** By their folders. They take no thread of ours, so that nobody waits for the removal of a stranger's million folders. */
  readonly #programs = new Map<string, Promise<void>>();
  readonly #removalMs: typeof usualMs;

  constructor(removalMs = usualMs) {
    this.#removalMs = removalMs;
  }

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

  /** Refuses where that takes long: a program goes on with it. */
  async remove(folder: string): Promise<void> {
    const { small, large, whenStuck } = this.#removalMs;
    const within = (limitMs: number) => (stuckFileCalls() > 0 ? whenStuck : limitMs);
    const call = { path: folder, limitMs: within(small) };
    if (!(await this.#small.run(() => removeSmallFolder(folder), call))) await this.#removeLarge(folder, within(large));
  }

  async #removeLarge(folder: string, limitMs: number): Promise<void> {
    const removal = this.#programs.get(folder) ?? this.#start(folder);
    const over = new AbortController();
    const patience = pause(limitMs, over.signal).then(() => "late" as const);
    const end = await Promise.race([removal, patience]).finally(() => over.abort());
    if (end === "late") throw new FileRefusal("stuck", folder, "takes long to remove: a program goes on with it.");
  }

  #start(folder: string): Promise<void> {
    if (this.#programs.size >= maxPrograms)
      throw new FileRefusal("stuck", folder, "is not removed yet: too many others still are.");
    const removal = removeByProgram(folder);
    this.#programs.set(folder, removal);
    const forget = () => this.#programs.delete(folder);
    void removal.then(forget, forget);
    return removal;
  }
}
