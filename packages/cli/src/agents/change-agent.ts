import type { CallOptions } from "@slipway/client";
import { textOf } from "../connection/with-service.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printable } from "../printable.ts";
import { toJson } from "../projects/to-json.ts";
import type { Context } from "./context.ts";

type Body = CallOptions<"registerAgent">["body"];

export async function addAgent({ client, terminal, options, signal }: Context): Promise<ExitCode> {
  const capabilities = textOf(options, "capabilities")
    ?.split(",")
    .map((word) => word.trim())
    .filter(Boolean);
  const slots = textOf(options, "slots");
  const url = textOf(options, "agentUrl");
  // What makes sense, the service knows; it refuses the rest.
  const body: Body = {
    name: textOf(options, "name")!,
    kind: textOf(options, "kind")!,
    ...(capabilities !== undefined && { capabilities }),
    ...(slots !== undefined && { slots: Number(slots) }),
    ...(url !== undefined && { url }),
  };
  const agent = await client.call("registerAgent", { body, signal });
  terminal.out(options.json ? toJson(agent) : `${printable(agent.name)} is registered (${agent.agent_id})`);
  return exitCode.ok;
}

export async function restartAgent(context: Context): Promise<ExitCode> {
  const { client, terminal, options, signal, agentId, connection } = context;
  const body = { force: options["force"] === true };
  const agent = await client.call("restartAgent", { params: { agent_id: agentId }, body, signal });
  terminal.out(options.json ? toJson(agent) : `${printable(agent.name)} is being restarted (${agent.status})`);
  if (connection.service !== undefined)
    terminal.err(`No service runs on ${connection.dataFolder}. It is done with: ${connection.commandLine("serve")}`);
  return exitCode.ok;
}

export async function removeAgent({ client, terminal, options, signal, agentId }: Context): Promise<ExitCode> {
  const query = { force: options["force"] === true };
  await client.call("deleteAgent", { params: { agent_id: agentId }, query, signal });
  terminal.out(options.json ? toJson({ agent_id: agentId, deleted: true }) : `${agentId} is deleted`);
  return exitCode.ok;
}
