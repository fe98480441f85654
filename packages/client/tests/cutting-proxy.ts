import { type AddressInfo, connect, createServer } from "node:net";
import { onTestFinished } from "vitest";

interface CuttingProxy {
  readonly url: string;
  /** How many connections it has cut so far. */
  cuts: number;
}

/** A way to a server on which each connection is cut after so many bytes in one direction, so many times in all. */
export async function cutConnections(
  to: string,
  { after, direction, times }: { after: number; direction: "down" | "up"; times: number },
): Promise<CuttingProxy> {
  const target = new URL(to);
  const proxy: { url: string; cuts: number } = { url: "", cuts: 0 };
  const server = createServer((client) => {
    const service = connect(Number(target.port), target.hostname);
    let bytes = 0;
    const [counted, other] = direction === "down" ? [service, client] : [client, service];
    counted.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > after && proxy.cuts < times) {
        proxy.cuts += 1;
        client.destroy();
        service.destroy();
      } else if (!other.write(chunk)) counted.pause();
    });
    other.on("drain", () => counted.resume());
    other.pipe(counted);
    for (const [one, two] of [
      [client, service],
      [service, client],
    ] as const)
      one.on("error", () => two.destroy()).on("close", () => two.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}
