import type { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { parseJson } from "../../../platform/bounded-json.ts";
import type { AgentProcess } from "../driver.ts";
import { AcpError } from "./acp-error.ts";

export interface StreamListener {
  /** Receives the unchecked parameters of a `session/update`. */
  readonly onUpdate: (params: unknown) => void;
  /** Receives a line that is not a message: greetings, warnings, output of libraries. */
  readonly onChatter: (line: string) => void;
  /** Resolves when more can be received. */
  readonly whenRoom: () => Promise<void>;
}

/** Several times the largest file that an agent may write. */
const maxLineLength = 8 * 1024 * 1024;
/** A program that prints more lines than this before its first message does not speak the protocol. */
const maxLinesBefore = 500;
/** Requests of the agent whose answers it has not taken: each waits in memory, with twenty times what it took to ask. */
const maxOpenRequests = 1_000;

/** What each side has asked, and is owed. */
interface Open {
  /** The ids of our requests. */
  readonly asked: Set<unknown>;
  /** How many of the agent's requests have no answer yet, or one that it has not taken. */
  owed: number;
}

/**
 * The messages between us and an agent's program, one a line. The library logs invalid messages, and updates that are newer
 * than itself, to the service's own standard error. So invalid lines stop here, and updates bypass the library.
 */
export function messageStream(process: AgentProcess, listener: StreamListener): Stream {
  const open: Open = { asked: new Set(), owed: 0 };
  const write = async (message: AnyMessage) => {
    if ("method" in message && "id" in message) open.asked.add(message.id);
    await new Promise<void>((resolve, reject) => {
      process.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
    if (!("method" in message)) open.owed -= 1;
  };
  // `process.ended` reports a program that is gone.
  process.stdin.on("error", () => {});
  return {
    readable: ReadableStream.from(readMessages(process.stdout, open, listener)) as Stream["readable"],
    writable: new WritableStream({ write }),
  };
}

async function* readMessages(
  stdout: Readable,
  open: Open,
  { onUpdate, onChatter, whenRoom }: StreamListener,
): AsyncGenerator<AnyMessage> {
  let isSpoken = false;
  let chatter = 0;
  for await (const line of readLines(stdout)) {
    await whenRoom();
    const message = parseMessage(line, open.asked);
    if (message === undefined) {
      onChatter(line);
      chatter += 1;
      if (!isSpoken && chatter > maxLinesBefore)
        throw new AcpError("agent_protocol", "The agent's program does not speak the Agent Client Protocol.");
      continue;
    }
    isSpoken = true;
    if ("method" in message && "id" in message) open.owed += 1;
    if (open.owed > maxOpenRequests)
      throw new AcpError("agent_protocol", `The agent sent ${maxOpenRequests} requests without taking the answers.`);
    if ("method" in message && message.method === "session/update") onUpdate(message.params);
    else yield message;
  }
}

function parseMessage(line: string, asked: Set<unknown>): AnyMessage | undefined {
  if (!line.startsWith("{")) return undefined;
  const message = parseJson(line)?.value as Record<string, unknown> | undefined;
  if (message === undefined) return undefined;
  const isCall = typeof message["method"] === "string";
  const isAnswer = !isCall && asked.delete(message["id"]);
  return isCall || isAnswer ? (message as AnyMessage) : undefined;
}

async function* readLines(stdout: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  try {
    for await (const chunk of stdout as AsyncIterable<Buffer>) {
      const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
      pieces.push(first);
      length += first.length;
      if (length > maxLineLength)
        throw new AcpError("agent_protocol", `The agent sent a message of more than ${maxLineLength} characters.`);
      for (const other of others) {
        yield pieces.join("").trim();
        pieces = [other];
        length = other.length;
      }
    }
  } catch (error) {
    // The program ended while we read; `process.ended` reports that.
    if (error instanceof AcpError) throw error;
  }
}
