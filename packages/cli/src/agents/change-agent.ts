import type { CallOptions } from "@slipway/client";
import { listOf, type ServiceContext, textOf } from "../command.ts";
import { adviseToServe } from "../connection/run-on-service.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { findAgent } from "./find-agent.ts";

type Body = CallOptions<"registerAgent">["body"];

export async function addAgent(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const capabilities = listOf(options, "capabilities");
  const slots = textOf(options, "slots");
  const url = textOf(options, "agentUrl");
  // Unchecked: the service knows which values are valid, and refuses the others.
  const body: Body = {
    name: textOf(options, "name")!,
    kind: textOf(options, "kind")!,
    ...(capabilities !== undefined && { capabilities }),
    ...(slots !== undefined && { slots: Number(slots) }),
    ...(url !== undefined && { url }),
  };
  const agent = await client.call("registerAgent", { body, signal });
  print(context, agent, () => `${printable(agent.name)} is registered (${agent.agent_id})`);
  return exitCode.ok;
}

export async function restartAgent(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const params = { agent_id: await findAgent(context) };
  const agent = await client.call("restartAgent", { params, body: { force: options["force"] === true }, signal });
  print(context, agent, () => `${printable(agent.name)} is being restarted (${agent.status})`);
  adviseToServe(context, "restart the agent");
  return exitCode.ok;
}

export async function removeAgent(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const agent_id = await findAgent(context);
  await client.call("deleteAgent", { params: { agent_id }, query: { force: options["force"] === true }, signal });
  print(context, { agent_id, deleted: true }, () => `${agent_id} is deleted`);
  return exitCode.ok;
}
