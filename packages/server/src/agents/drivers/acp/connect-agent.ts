import type {
  ClientContext,
  InitializeResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import { oneLine, shortened } from "../../../platform/one-line.ts";
import type { AgentProcess } from "../driver.ts";
import { messageStream, type StreamListener } from "./message-stream.ts";

export interface AgentListener extends StreamListener {
  readonly onPermission: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
}

/** How long the pipes of a program that has ended are still read. */
const drainMs = 500;

/** Connects to an agent's program until `talk` ends; rejects if the program ends first. */
export async function connectAgent<T>(
  process: AgentProcess,
  listener: AgentListener,
  talk: (agent: ClientContext) => Promise<T>,
): Promise<T> {
  // Loaded when first needed: most installations never use the protocol.
  const { client } = await import("@agentclientprotocol/sdk");
  // A child that it left behind may keep its pipes open for ever.
  const drain = async () => {
    await listener.whenRoom();
    setTimeout(() => process.stdout.destroy(), drainMs).unref();
  };
  process.ended.then(drain, drain);
  return client({ name: "slipway" })
    .onRequest("session/request_permission", ({ params }) => listener.onPermission(params))
    .connectWith(messageStream(process, listener), talk);
}

/** Initialises the connection; returns what the agent can do. */
export async function greet(agent: ClientContext) {
  const { PROTOCOL_VERSION } = await import("@agentclientprotocol/sdk");
  const answer = await agent.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    // We offer no files or terminals: the agent works in its sandbox, with its own.
    clientCapabilities: {},
    clientInfo: { name: "slipway", title: "Slipway", version: "1" },
  });
  // An agent may answer with anything.
  const { protocolVersion, agentCapabilities, agentInfo } = (answer ?? {}) as Partial<InitializeResponse>;
  const version: unknown = agentInfo?.version;
  return {
    agentCapabilities,
    isOurVersion: protocolVersion === PROTOCOL_VERSION,
    protocolVersion: shortened(JSON.stringify(protocolVersion) ?? "none", 100),
    version: typeof version === "string" ? oneLine(version, 200) : undefined,
  };
}
