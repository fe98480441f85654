import { lazy, Suspense } from "../parts/lazy.tsx";
import { ProjectPage } from "../project/project-page.tsx";
import { ProjectsPage } from "../projects/projects-page.tsx";
import { readAddress } from "./addresses.ts";
import { Link, useAddress } from "./router.tsx";

/** Loaded when somebody opens them. */
const lazyPages = {
  new: lazy(async () => (await import("../new-project/new-project-page.tsx")).NewProjectPage),
  device: lazy(async () => (await import("../sign-in/device-page.tsx")).DevicePage),
  sessions: lazy(async () => (await import("../sign-in/sessions-page.tsx")).SessionsPage),
  approvals: lazy(async () => (await import("../approvals/approvals-page.tsx")).ApprovalsPage),
  applications: lazy(async () => (await import("../applications/applications-page.tsx")).ApplicationsPage),
  application: lazy(async () => (await import("../applications/application-page.tsx")).ApplicationPage),
  agents: lazy(async () => (await import("../agents/agents-page.tsx")).AgentsPage),
  webhooks: lazy(async () => (await import("../webhooks/webhooks-page.tsx")).WebhooksPage),
  webhook: lazy(async () => (await import("../webhooks/webhook-page.tsx")).WebhookPage),
  secrets: lazy(async () => (await import("../secrets/secrets-page.tsx")).SecretsPage),
  keys: lazy(async () => (await import("../access/keys-page.tsx")).KeysPage),
  users: lazy(async () => (await import("../access/users-page.tsx")).UsersPage),
  docs: lazy(async () => (await import("../api/api-page.tsx")).ApiPage),
  audit: lazy(async () => (await import("../audit/audit-page.tsx")).AuditPage),
  installation: lazy(async () => (await import("../installation/installation-page.tsx")).InstallationPage),
} as const;

/** The page that an address means. */
export function Page() {
  const { pathname } = useAddress();
  const address = readAddress(pathname);
  if (address === undefined) return <NotFound />;
  if (address.page === "start") return <ProjectsPage />;
  if (!("id" in address)) return <Suspense part={lazyPages[address.page]} id="" />;
  const { page, id } = address;
  if (page === "projects") return <ProjectPage key={id} id={id} />;
  return <Suspense key={id} part={page === "applications" ? lazyPages.application : lazyPages.webhook} id={id} />;
}

function NotFound() {
  return (
    <div class="center">
      <h1>Not found</h1>
      <p>
        There is no such page. <Link href="/">All projects</Link>
      </p>
    </div>
  );
}
