import type { Artifact, SourceFile } from "@slipway/contract";

/** A folder or file among the artifacts, by name. */
export interface TreeNode {
  readonly name: string;
  /** The path of the file as it is downloaded; of a folder, with a slash at its end. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly children: readonly TreeNode[] | undefined;
}

/** The artifacts and the source code as one tree: folders first, then files, each by name. */
export function treeOf(artifacts: readonly Artifact[], source: readonly SourceFile[]): readonly TreeNode[] {
  const files = [
    ...artifacts.filter(({ path }) => !path.endsWith("/")).map(({ path, size_bytes }) => ({ path, size_bytes })),
    ...source.filter(({ is_link }) => !is_link).map(({ path, size_bytes }) => ({ path: `source/${path}`, size_bytes })),
  ];
  return childrenOf(
    files.map(({ path, size_bytes }) => ({ rest: path.split("/"), path, sizeBytes: size_bytes })),
    "",
  );
}

/** Files below are drawn in this folder, by the rest of their path: a page cannot hold a thousand boxes in each other. */
const maxDepth = 20;

interface Placed {
  readonly rest: readonly string[];
  readonly path: string;
  readonly sizeBytes: number;
}

function childrenOf(files: readonly Placed[], folder: string, depth = 0): readonly TreeNode[] {
  const isBelow = ({ rest }: Placed) => rest.length > 1 && depth < maxDepth;
  const folders = Map.groupBy(files.filter(isBelow), ({ rest }) => rest[0]!);
  const below = [...folders].map(([name, inside]) => {
    const path = `${folder}${name}/`;
    const children = childrenOf(
      inside.map((file) => ({ ...file, rest: file.rest.slice(1) })),
      path,
      depth + 1,
    );
    return { name, path, children, sizeBytes: inside.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) };
  });
  const here = files
    .filter((file) => !isBelow(file))
    .map(({ rest, path, sizeBytes }) => ({ name: rest.join("/"), path, sizeBytes, children: undefined }));
  const byName = (a: TreeNode, b: TreeNode) => (a.name < b.name ? -1 : 1);
  return [...below.toSorted(byName), ...here.toSorted(byName)];
}

/** How the source code changed: each file that is new, gone or different, by path. */
export function changesOf(
  before: readonly SourceFile[],
  after: readonly SourceFile[],
): readonly { readonly path: string; readonly kind: "added" | "removed" | "changed" }[] {
  const old = new Map(before.map((file) => [file.path, file.content_id]));
  const now = new Map(after.map((file) => [file.path, file.content_id]));
  const changed = after
    .filter(({ path, content_id }) => old.get(path) !== content_id)
    .map(({ path }) => ({ path, kind: old.has(path) ? ("changed" as const) : ("added" as const) }));
  const removed = before.filter(({ path }) => !now.has(path)).map(({ path }) => ({ path, kind: "removed" as const }));
  return [...changed, ...removed].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
