import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../../platform/remove-folder.ts";
import type { SharedFolder } from "../../platform/sandbox/index.ts";

/** One package cache a project, so that a run need not download what an earlier one had. */
export class PackageCaches {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(projectId: string): Promise<SharedFolder> {
    const folder = join(this.#folder, projectId);
    const below = (name: string) => join(folder, name);
    await mkdir(folder, { recursive: true });
    return {
      folder,
      env: {
        npm_config_cache: below("npm"),
        npm_config_store_dir: below("pnpm"),
        YARN_CACHE_FOLDER: below("yarn"),
        PIP_CACHE_DIR: below("pip"),
        UV_CACHE_DIR: below("uv"),
        GOMODCACHE: below("go"),
      },
    };
  }

  async remove(projectId: string): Promise<void> {
    await removeFolder(join(this.#folder, projectId));
  }
}
