import { Agent, request } from "node:http";

export interface Load {
  /** What each answer was: its text, or how its request failed. */
  readonly answers: Map<string, number>;
  /** How many requests have ended. */
  total(): number;
  /** How many connections were made. */
  connections(): number;
  /** Resolves when so many requests have been answered since the start. */
  reached(requests: number): Promise<void>;
  stop(): Promise<void>;
}

/** Sends requests on so many kept connections, each after the answer to the one before, until it is stopped. */
export function startLoad(url: string, connections: number): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers = new Map<string, number>();
  const waiting: { readonly requests: number; readonly resolve: () => void }[] = [];
  let total = 0;
  let isStopped = false;
  let sockets = 0;
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args) => {
    sockets += 1;
    return connect(...args);
  };
  const clients = Array.from({ length: connections }, async () => {
    while (!isStopped) {
      const answer = await ask(url, agent);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      total += 1;
      for (const one of waiting) if (total >= one.requests) one.resolve();
    }
  });
  return {
    answers,
    total: () => total,
    connections: () => sockets,
    reached: (requests) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ requests, resolve });
      return promise;
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(clients);
      agent.destroy();
    },
  };
}

/** The text of a good answer, else its status or how it failed. */
function ask(url: string, agent: Agent): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const sent = request(url, { agent }, (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    answer.on("end", () => resolve(answer.statusCode === 200 ? text : `status ${answer.statusCode}`));
    answer.on("error", ({ message }) => resolve(message));
  });
  sent.on("error", ({ message }) => resolve(message)).end();
  return promise;
}
