import { watchProject } from "@slipway/client";
import type { Promotion } from "@slipway/contract";
import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { WaitLimit } from "../follow/wait-limit.ts";
import { print } from "../output/print.ts";
import { printable, printableLines } from "../output/printable.ts";

/** Takes the result of a project to a further environment, and waits until it is live there. */
export async function deployProject(context: ServiceContext): Promise<ExitCode> {
  const [projectId = "", environment] = context.args;
  if (environment === undefined) throw new UsageError("give the environment");
  return takeTo(context, projectId, environment);
}

/** Takes the result of a project to an environment, and prints how that ended. */
export async function takeTo(context: ServiceContext, projectId: string, environment: string): Promise<ExitCode> {
  const { client, connection, interruption, options } = context;
  const limit = new WaitLimit(interruption, textOf(options, "timeout"));
  try {
    const params = { project_id: projectId };
    const asked = await client.call("deployProject", { params, body: { environment }, signal: limit.signal });
    const ended = hasEnded(asked) ? asked : await untilEnded(context, limit.signal, asked);
    print(context, ended, () => describe(ended));
    return ended.status === "failed" ? exitCode.failed : exitCode.ok;
  } catch (error) {
    throw limit.explain(connection, projectId) ?? error;
  }
}

async function untilEnded(
  { client, terminal, connection }: ServiceContext,
  signal: AbortSignal,
  { project_id, environment }: Promotion,
): Promise<Promotion> {
  let isAsked = false;
  for await (const _ of watchProject(client, project_id, { signal })) {
    const { promotions } = await client.call("listPromotions", { params: { project_id }, signal });
    const now = promotions.find((one) => one.environment === environment);
    if (now === undefined) throw new UsageError(`${project_id} was restarted, so it does not go there`);
    if (hasEnded(now)) return now;
    if (now.status === "waiting_for_approval" && !isAsked) {
      isAsked = true;
      terminal.err(`A person must approve: ${connection.commandLine("projects", "approve", project_id)}`);
    }
  }
  throw new Error("A project that is watched never ends.");
}

function hasEnded({ status }: Promotion): boolean {
  return status === "live" || status === "failed";
}

function describe({ project_id, environment, status, version, url, error }: Promotion): string {
  const where = `${project_id} ${printable(environment)}`;
  if (status === "failed") return `${where} failed: ${printableLines(error?.message ?? "")}`;
  return `${where} is live${url === null ? "" : ` at ${printable(url)}`} (version ${printable(version)})`;
}
