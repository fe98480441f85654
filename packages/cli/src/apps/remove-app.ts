import type { ServiceContext } from "../command.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";
import { findDeployment } from "./find-app.ts";

export async function removeApp(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const { deployment, params } = await findDeployment(context);
  const { application_id, deployment_id, environment, url } = deployment;
  const name = `${application_id} ${printable(environment)}`;
  if (options["yes"] !== true) {
    const where = url === null ? "" : ` at ${printable(url)}`;
    terminal.err(`This takes ${name}${where} down, and removes its versions and its data. Type 'yes' to go on:`);
    if ((await readLine(terminal)) !== "yes")
      throw new UsageError("nothing was removed; to remove it, answer 'yes' or give --yes");
  }
  await client.call("deleteDeployment", { params, signal });
  print(context, { application_id, deployment_id, environment, removed: true }, () => `${name} is removed`);
  return exitCode.ok;
}

async function readLine({ input }: Terminal): Promise<string> {
  let text = "";
  for await (const bytes of input) {
    text += Buffer.from(bytes).toString("utf8");
    if (text.includes("\n")) break;
  }
  return (text.split("\n")[0] ?? "").trim();
}
