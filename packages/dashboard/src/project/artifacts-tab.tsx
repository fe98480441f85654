import { useMemo } from "preact/hooks";
import { client, explain } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { SomeOf } from "../parts/some-of.tsx";
import { Link, setQuery, useAddress } from "../routing/router.tsx";
import { artifactHref, downloadUrl, shortSize } from "./artifact-path.ts";
import { type TreeNode, treeOf } from "./artifact-tree.ts";
import { ArtifactViewer } from "./artifact-viewer.tsx";
import { CheckpointChanges } from "./checkpoint-changes.tsx";
import { useCheckpoints } from "./project-data.ts";

/** What the project made: browsed, shown where that is safe, compared and downloaded. */
export function ArtifactsTab({ id }: { readonly id: string }) {
  const { searchParams } = useAddress();
  const path = searchParams.get("path") ?? "";
  const at = searchParams.get("at") ?? "";
  const compare = searchParams.get("compare") ?? "";
  const { data, error } = useQuery(`project/${id}/tree/${at}`, () => readTree(id, at));
  const tree = useMemo(() => (data === undefined ? [] : treeOf(data.artifacts, data.files)), [data]);
  if (data === undefined) return <p class="faint">{error === undefined ? "Loading…" : explain(error)}</p>;
  return (
    <>
      <Choices id={id} at={at} compare={compare} />
      <section class="artifacts" aria-label="Artifacts">
        {compare !== "" ? (
          <CheckpointChanges key={compare} id={id} from={compare} to={at} path={path} now={data.files} />
        ) : (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
            <section class="files-box" tabIndex={0} aria-label="Files">
              {tree.length === 0 && <p class="faint">There are no artifacts yet.</p>}
              <Folder id={id} nodes={tree} at={at} current={path} />
            </section>
            {path !== "" && <ArtifactViewer key={`${at} ${path}`} id={id} path={path} checkpoint={at} />}
          </>
        )}
      </section>
    </>
  );
}

function Choices({ id, at, compare }: { readonly id: string; readonly at: string; readonly compare: string }) {
  const { data: checkpoints = [] } = useCheckpoints(id);
  const options = checkpoints.map(({ checkpoint_id, phase }) => (
    <option key={checkpoint_id} value={checkpoint_id}>
      after {phase}
    </option>
  ));
  return (
    <div class="filters">
      <label class="inline">
        Files
        <select value={at} onChange={(event) => setQuery({ at: event.currentTarget.value, path: "" })}>
          <option value="">now</option>
          {options}
        </select>
      </label>
      <label class="inline">
        Compared with
        <select value={compare} onChange={(event) => setQuery({ compare: event.currentTarget.value, path: "" })}>
          <option value="">nothing</option>
          {options}
        </select>
      </label>
      <a href={downloadUrl(id, "source_code", at)} download="">
        Source code as zip
      </a>
    </div>
  );
}

interface FolderProps {
  readonly id: string;
  readonly nodes: readonly TreeNode[];
  readonly at: string;
  readonly current: string;
}

function Folder({ id, nodes, at, current }: FolderProps) {
  return (
    <SomeOf items={nodes} at={nodes.findIndex(({ path }) => current.startsWith(path))}>
      {(some) => (
        <ul class="files">
          {some.map(({ name, path, sizeBytes, children }) => (
            <li key={path}>
              {children === undefined ? (
                <div class={path === current ? "file is-wanted" : "file"}>
                  <Link class="ellipsis" href={artifactHref(id, path, at)}>
                    {name}
                  </Link>
                  <span class="faint">{shortSize(sizeBytes)}</span>
                </div>
              ) : (
                <details open={current.startsWith(path) || nodes.length < 4}>
                  <summary>
                    {name}/ <span class="faint">{shortSize(sizeBytes)}</span>
                  </summary>
                  <Folder id={id} nodes={children} at={at} current={current} />
                </details>
              )}
            </li>
          ))}
        </ul>
      )}
    </SomeOf>
  );
}

async function readTree(id: string, at: string) {
  const call = { params: { project_id: id }, query: at === "" ? {} : { checkpoint: at } };
  const [{ artifacts }, { files }] = await Promise.all([
    client.call("listArtifacts", call),
    client.call("listSourceFiles", call),
  ]);
  return { artifacts, files };
}
