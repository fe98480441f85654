import type { SourceFile } from "@slipway/contract";
import { client, explain } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { SomeOf } from "../parts/some-of.tsx";
import { Link } from "../routing/router.tsx";
import { downloadUrl } from "./artifact-path.ts";
import { changesOf } from "./artifact-tree.ts";
import { readBlob, readText } from "./artifact-viewer.tsx";

const marks = { added: "+", removed: "−", changed: "±" } as const;

interface Props {
  readonly id: string;
  /** The checkpoint to compare with. */
  readonly from: string;
  /** The checkpoint that is compared; empty: now. */
  readonly to: string;
  readonly path: string;
  readonly now: readonly SourceFile[];
}

/** Which files of the source code differ between two moments, and how. */
export function CheckpointChanges({ id, from, to, path, now }: Props) {
  const { data, error } = useQuery(`project/${id}/files/${from}`, () =>
    client.call("listSourceFiles", { params: { project_id: id }, query: { checkpoint: from } }),
  );
  if (data === undefined) return <p class="faint">{error === undefined ? "Loading…" : explain(error)}</p>;
  const changes = changesOf(data.files, now);
  const change = changes.find((one) => one.path === path);
  const query = `&at=${encodeURIComponent(to)}&compare=${encodeURIComponent(from)}`;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section class="files-box" tabIndex={0} aria-label="Changed files">
        {changes.length === 0 && <p class="faint">No file of the source code differs.</p>}
        <SomeOf items={changes} at={changes.findIndex((one) => one.path === path)}>
          {(some) => (
            <ul class="files">
              {some.map((one) => (
                <li key={one.path} class={one.path === path ? "file is-wanted" : "file"}>
                  <Link href={`/projects/${id}?tab=artifacts&path=${encodeURIComponent(one.path)}${query}`}>
                    <span class="file-mark">{marks[one.kind]}</span> {one.path}
                  </Link>
                  <span class="faint">{one.kind}</span>
                </li>
              ))}
            </ul>
          )}
        </SomeOf>
      </section>
      {change !== undefined && <FileDiff key={path} id={id} change={change} from={from} to={to} />}
    </>
  );
}

interface DiffProps {
  readonly id: string;
  readonly change: ReturnType<typeof changesOf>[number];
  readonly from: string;
  readonly to: string;
}

function FileDiff({ id, change: { path, kind }, from, to }: DiffProps) {
  const { data, error } = useQuery(`diff/${id}/${from}/${to}/${path}`, async () => {
    const read = async (checkpoint: string) =>
      (await readText(await readBlob(downloadUrl(id, `source/${path}`, checkpoint))))?.text.split("\n");
    return { before: kind === "added" ? [] : await read(from), after: kind === "removed" ? [] : await read(to) };
  });
  if (data === undefined) return <p class="faint">{error === undefined ? "Loading…" : explain(error)}</p>;
  const { before, after } = data;
  return (
    <figure class="viewer">
      <figcaption>{path}</figcaption>
      {before === undefined || after === undefined ? (
        <p class="faint">It is no text, or too long to compare: download both.</p>
      ) : (
        <DiffView before={before} after={after} label={`Changes of ${path}`} />
      )}
    </figure>
  );
}
