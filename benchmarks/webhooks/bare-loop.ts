/** A loop that posts and keeps no books, in a process of its own as somebody else would write it: with the undici that the service uses. */
import { createRequire } from "node:module";

export interface BareLoop {
  readonly url: string;
  readonly connections: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly count: number;
}

const { Agent, request } = createRequire(new URL("../../packages/server/package.json", import.meta.url))("undici") as {
  Agent: new (options: { connections: number }) => { close(): Promise<void> };
  request: (url: string, options: object) => Promise<{ body: { dump(): Promise<void> } }>;
};

/** Posts one body so often, and gives how many a second. */
async function run({ url, connections, headers, body, count }: BareLoop): Promise<number> {
  const dispatcher = new Agent({ connections });
  let left = count;
  const start = performance.now();
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const answer = await request(url, { method: "POST", headers, body, dispatcher });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  const rate = (count / (performance.now() - start)) * 1000;
  await dispatcher.close();
  return rate;
}

process.on("message", async (asked: BareLoop) => process.send!(await run(asked)));
