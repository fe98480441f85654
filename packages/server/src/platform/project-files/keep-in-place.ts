import { partsOf } from "./inner-path.ts";
import { type FolderOptions, fileCall, withFolder } from "./open-folder.ts";

/**
 * Takes the folders on the way to a path from the users of a project's programs, from the root of the tree on, so that nobody
 * exchanges what is on it: for other programs, which go to a folder by its path. Who is not root has the same rights as they.
 */
export async function keepInPlace(
  root: string,
  path: string,
  { signal }: Pick<FolderOptions, "signal">,
): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const parts = partsOf(path);
  for (const depth of parts.keys())
    await withFolder(root, parts.slice(0, depth), { signal }, async ({ path: above, handle }) => {
      await fileCall(() => handle.chown(0, 0), { path: above, signal });
      await fileCall(() => handle.chmod(0o755), { path: above, signal });
    });
}
