import type { Project } from "@slipway/contract";
import { explain } from "../data/client.ts";
import { Counts, Progress, ProjectChip } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";
import { useCurrentInView } from "../parts/use-current-in-view.ts";
import { useTitle } from "../parts/use-title.ts";
import { Link, useAddress } from "../routing/router.tsx";
import { AcceptanceTab } from "./acceptance-tab.tsx";
import { Actions } from "./actions.tsx";
import { ArtifactsTab } from "./artifacts-tab.tsx";
import { CostsTab } from "./costs-tab.tsx";
import { DocumentTab } from "./document-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { FailurePanel } from "./failure-panel.tsx";
import { LogsTab } from "./logs-tab.tsx";
import { PendingApprovals } from "./pending-approvals.tsx";
import { useAgentNames, useProject } from "./project-data.ts";
import { Promotions } from "./promotions.tsx";
import { SecurityTab } from "./security-tab.tsx";
import { type TabName, tabHref, tabNames } from "./tab-names.ts";
import { TestsTab } from "./tests-tab.tsx";
import { TimelineTab } from "./timeline-tab.tsx";
import { WorkTab } from "./work-tab.tsx";

const tabs = {
  work: WorkTab,
  timeline: TimelineTab,
  acceptance: AcceptanceTab,
  logs: LogsTab,
  tests: TestsTab,
  security: SecurityTab,
  artifacts: ArtifactsTab,
  events: EventsTab,
  document: DocumentTab,
  costs: CostsTab,
} as const satisfies Record<TabName, unknown>;

/** One project: how it stands, why it failed, what can be done, and everything it left. */
export function ProjectPage({ id }: { readonly id: string }) {
  const { data: project, error } = useProject(id);
  const wanted = useAddress().searchParams.get("tab") ?? "";
  const current: TabName = wanted in tabs ? (wanted as TabName) : "work";
  useTitle(project?.name ?? "Project");
  if (project === undefined)
    return (
      <p class="center">
        {error === undefined ? "Loading…" : explain(error)}
        {error !== undefined && <Link href="/">All projects</Link>}
      </p>
    );
  return (
    <div class="page">
      <Header project={project} />
      {project.waiting_for === "approval" && <PendingApprovals id={id} />}
      {project.status === "failed" &&
        (current === "work" ? <FailurePanel project={project} /> : <Failure project={project} />)}
      <Tabs project={project} current={current} />
    </div>
  );
}

function Header({ project }: { readonly project: Project }) {
  const { name, document_id, outcome_type, environment, progress, current_phase, checks, created_at, owner } = project;
  const isOver = project.status === "deployed" || project.status === "failed";
  return (
    <div class="project-header">
      <p class="crumbs">
        <Link href="/">Projects</Link> /{" "}
        <Link class="ellipsis" href={`/applications/${project.application_id}`}>
          {document_id}
        </Link>
      </p>
      <div class="title">
        <h1>{name}</h1>
        <ProjectChip project={project} />
        <Actions project={project} />
      </div>
      <p class="facts-line">
        {!isOver && <Progress value={progress} label="Progress" />}
        <span>{isOver ? outcome_type : `${outcome_type}, in ${current_phase}`}</span>
        {environment !== null && <span>to {environment}</span>}
        <Counts checks={checks} />
        <span class="faint">
          begun <Ago at={created_at} /> by {owner}
        </span>
      </p>
      {project.deployment && (
        <p class="deployment">
          Version {project.deployment.version} is {project.deployment.status} in {project.deployment.environment}:{" "}
          <code>{project.deployment.url ?? project.deployment.usage}</code>
        </p>
      )}
      {project.status === "deployed" && <Promotions id={project.project_id} />}
      <Roles agents={project.agents} />
    </div>
  );
}

/** Who fills which role. */
function Roles({ agents }: { readonly agents: Project["agents"] }) {
  const names = useAgentNames();
  return (
    <p class="project-agents faint">
      {Object.entries(agents).map(([role, agent]) => (
        <span key={role}>
          {role}: <Link href={`/agents?agent=${encodeURIComponent(agent)}`}>{names(agent)}</Link>
        </span>
      ))}
    </p>
  );
}

/** The error in one line, where another tab needs the room. */
function Failure({ project: { project_id, error } }: { readonly project: Project }) {
  return (
    <p class="error ellipsis">
      <Link href={`/projects/${project_id}`}>Why it failed</Link>: {error?.message}
    </p>
  );
}

function Tabs({ project, current }: { readonly project: Project; readonly current: TabName }) {
  const Tab = tabs[current];
  const row = useCurrentInView(current);
  return (
    <>
      <nav class="tabs" aria-label="Parts of the project" ref={row}>
        {(Object.keys(tabs) as TabName[]).map((name) => (
          <Link
            key={name}
            href={tabHref(project.project_id, name)}
            aria-current={name === current ? "page" : undefined}
          >
            {tabNames[name]}
          </Link>
        ))}
      </nav>
      <Tab key={current} id={project.project_id} />
    </>
  );
}
