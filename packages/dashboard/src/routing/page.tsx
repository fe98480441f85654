import { lazy, Suspense } from "../parts/lazy.tsx";
import { ProjectPage } from "../project/project-page.tsx";
import { ProjectsPage } from "../projects/projects-page.tsx";
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
  const [, folder = "", name] = pathname.split("/");
  const id = name === undefined || name === "" ? undefined : decodeURIComponent(name);
  if (pathname === "/" || pathname === "/projects" || folder === "sign-in") return <ProjectsPage />;
  if (folder === "projects" && id !== undefined) return <ProjectPage key={id} id={id} />;
  if (folder === "applications" && id !== undefined) return <Suspense key={id} part={lazyPages.application} id={id} />;
  if (folder === "webhooks" && id !== undefined) return <Suspense key={id} part={lazyPages.webhook} id={id} />;
  if (Object.hasOwn(lazyPages, folder)) return <Suspense part={lazyPages[folder as keyof typeof lazyPages]} id="" />;
  return (
    <div class="center">
      <h1>Not found</h1>
      <p>
        There is no such page. <Link href="/">All projects</Link>
      </p>
    </div>
  );
}
