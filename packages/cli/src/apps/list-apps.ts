import { pageNames, queryOf, type ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";

export async function listApps(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const { applications, next_cursor } = await client.call("listApplications", {
    query: queryOf(options, pageNames),
    signal,
  });
  const found = await Promise.all(
    applications.map(async (application) => {
      const params = { application_id: application.application_id };
      return { ...application, ...(await client.call("listDeployments", { params, signal })) };
    }),
  );
  const page = { applications: found, next_cursor };
  printPage(context, page, {
    plural: "applications",
    command: ["apps", "list"],
    headings: ["ID", "DOCUMENT", "ENVIRONMENT", "STATUS", "VERSION", "USE"],
    rows: found.flatMap(({ application_id, document_id, deployments }) =>
      deployments.length === 0
        ? [[application_id, document_id, "", "not deployed", "", ""]]
        : deployments.map(({ environment, status, release, url, usage }) => [
            ...[application_id, document_id, environment, status],
            ...[release?.version ?? "", url ?? usage],
          ]),
    ),
  });
  return exitCode.ok;
}
