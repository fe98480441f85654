import type { ClientContext, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { AgentProcess } from "../driver.ts";
import { messageStream, type StreamListener } from "./message-stream.ts";

export interface AgentListener extends StreamListener {
  readonly onPermission: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
}

/** What is left in the pipes of a program that has ended is read within this time. */
const drainMs = 500;

/** Talks to an agent's program until `talk` ends; fails when the program ends before. */
export async function connectAgent<T>(
  process: AgentProcess,
  listener: AgentListener,
  talk: (agent: ClientContext) => Promise<T>,
): Promise<T> {
  // Loaded when first needed: most installations never speak it.
  const { client } = await import("@agentclientprotocol/sdk");
  // Whoever it left behind may hold its pipes open for ever.
  void process.ended.then(() => setTimeout(() => process.stdout.destroy(), drainMs).unref());
  return client({ name: "slipway" })
    .onRequest("session/request_permission", ({ params }) => listener.onPermission(params))
    .connectWith(messageStream(process, listener), talk);
}

/** The first words of each side; says what the agent can do. */
export async function greet(agent: ClientContext) {
  const { PROTOCOL_VERSION } = await import("@agentclientprotocol/sdk");
  const answer = await agent.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    // No files and terminals of ours: the agent works in its sandbox, with its own.
    clientCapabilities: {},
    clientInfo: { name: "slipway", title: "Slipway", version: "1" },
  });
  return { ...answer, isOurVersion: answer.protocolVersion === PROTOCOL_VERSION };
}
