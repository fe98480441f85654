import { listAll } from "@slipway/client";
import type { Deployment } from "@slipway/contract";
import { type ServiceContext, textOf } from "../command.ts";
import { CommandError, exitCode, UsageError } from "../exit-code.ts";
import { printable } from "../output/printable.ts";

/** A deployment that the command line names, as calls want it. */
export interface NamedDeployment {
  readonly deployment: Deployment;
  readonly params: { readonly application_id: string; readonly environment: string };
}

/** The id of the application that the first argument names: by its id, its document's id, or a project. */
export async function findApplication({ client, args: [app = ""], signal }: ServiceContext): Promise<string> {
  if (/^app_[0-9a-z]{20}$/.test(app)) return app;
  if (/^proj_[0-9a-z]{20}$/.test(app))
    return (await client.call("readProject", { params: { project_id: app }, signal })).application_id;
  const applications = listAll(
    (query) => client.call("listApplications", { query, signal }),
    (page) => page.applications,
  );
  const found: string[] = [];
  for await (const { application_id, document_id } of applications) if (document_id === app) found.push(application_id);
  const [only, ...others] = found;
  if (only === undefined)
    throw new CommandError(
      exitCode.notFound,
      `there is no application '${printable(app)}'; 'slipway apps list' shows them`,
    );
  // Administrators see those of all users.
  if (others.length > 0) throw new UsageError(`'${printable(app)}' may mean ${found.join(", ")}: give one of these`);
  return only;
}

/** The deployment of the named application: in the given environment, else the only one. */
export async function findDeployment(context: ServiceContext): Promise<NamedDeployment> {
  const { client, options, signal } = context;
  const application_id = await findApplication(context);
  const environment = textOf(options, "environment");
  if (environment !== undefined) {
    const params = { application_id, environment };
    return { deployment: await client.call("readDeployment", { params, signal }), params };
  }
  const { deployments } = await client.call("listDeployments", { params: { application_id }, signal });
  const [only, ...others] = deployments;
  if (only === undefined) throw new CommandError(exitCode.notFound, `${application_id} is not deployed`);
  if (others.length > 0) {
    const names = deployments.map((one) => printable(one.environment)).join(", ");
    throw new UsageError(`${application_id} is deployed to ${names}: choose one with --environment`);
  }
  return { deployment: only, params: { application_id, environment: only.deployment_id } };
}
