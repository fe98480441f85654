import type { Project } from "@slipway/contract";
import { explain } from "../data/client.ts";
import { Counts, Progress, ProjectChip } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { useTitle } from "../parts/use-title.ts";
import { VirtualList } from "../parts/virtual-list.tsx";
import { Link, setQuery, useAddress } from "../routing/router.tsx";
import { readFilter, statusWords } from "./project-list.ts";
import { useProjects } from "./use-projects.ts";

/** Every project, live. */
export function ProjectsPage() {
  const filter = readFilter(useAddress().searchParams);
  const { projects, next, isLoaded, error, loadMore } = useProjects(filter);
  useTitle("Projects");
  const isFiltered = filter.q !== "" || filter.status !== "";
  return (
    <div class="page">
      <div class="title">
        <h1>Projects</h1>
        <search class="filters">
          <input
            type="search"
            placeholder="Search by name or id"
            aria-label="Search by name or id"
            value={filter.q}
            onInput={(event) => setQuery({ q: event.currentTarget.value }, { replaces: true })}
          />
          <select
            aria-label="Status"
            value={filter.status}
            onChange={(event) => setQuery({ status: event.currentTarget.value })}
          >
            <option value="">Every status</option>
            {Object.entries(statusWords).map(([status, word]) => (
              <option key={status} value={status}>
                {word}
              </option>
            ))}
          </select>
        </search>
      </div>
      {error !== undefined && projects.length === 0 && <p class="error">{explain(error)}</p>}
      {!isLoaded && <p class="faint">Loading…</p>}
      {isLoaded && error === undefined && projects.length === 0 && (isFiltered ? <NoMatch /> : <FirstDocument />)}
      {projects.length > 0 && (
        <VirtualList
          class="projects"
          label={`Projects: ${projects.length}${next === null ? "" : " and more"}`}
          count={projects.length}
          rowHeight={68}
          row={(index) => <Row project={projects[index]!} />}
          onScrolled={(isAtEnd) => isAtEnd && loadMore()}
        />
      )}
    </div>
  );
}

function Row({ project }: { readonly project: Project }) {
  const { project_id, name, document_id, current_phase, status, progress, checks, created_at, owner, error } = project;
  const isOver = status === "deployed" || status === "failed";
  return (
    <div class="project-row">
      <div class="project-name">
        <Link href={`/projects/${project_id}`}>{name}</Link>
        <span class="faint ellipsis">{status === "failed" && error !== null ? error.message : document_id}</span>
      </div>
      <ProjectChip project={project} />
      <span class="project-phase">
        {isOver ? (
          <span class="faint">{current_phase}</span>
        ) : (
          <Progress value={progress} label={`${name}: progress`} />
        )}
        {!isOver && <span class="faint ellipsis">{current_phase}</span>}
      </span>
      <Counts checks={checks} />
      <span class="project-age faint">
        <Ago at={created_at} />
        <span class="ellipsis">{owner}</span>
      </span>
    </div>
  );
}

function NoMatch() {
  return (
    <p class="center">
      No project matches. <Link href="/">Show all</Link>
    </p>
  );
}

const firstSteps = `slipway init api -o hello.yaml
slipway run hello.yaml`;

function FirstDocument() {
  return (
    <section class="empty">
      <h2>No projects yet</h2>
      <p>A project is one run of a document that says what to build. From a terminal:</p>
      <pre>{firstSteps}</pre>
      <p>
        Or <Link href="/new">write one here</Link> and watch it being built.
      </p>
    </section>
  );
}
