import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Cluster } from "../../../src/deployment/kubernetes/cluster.ts";
import { openCluster } from "../../../src/deployment/kubernetes/open-cluster.ts";
import { PodLogs } from "../../../src/deployment/kubernetes/pod-logs.ts";
import { entryLabel } from "../../../src/deployment/kubernetes/render-release.ts";
import { until } from "../../support/until.ts";

/** A cluster whose logs this server tells. */
async function clusterOf(answer: RequestListener): Promise<Cluster> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = mkdtempSync(join(tmpdir(), "slipway-kubeconfig-"));
  const kubeconfig = join(folder, "config");
  const named = { name: "test" };
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ ...named, cluster: { server: address, "insecure-skip-tls-verify": true } }],
      contexts: [{ ...named, context: { cluster: "test", user: "test" } }],
      users: [{ ...named, user: { token: "x" } }],
      "current-context": "test",
    }),
  );
  const cluster = openCluster({ kubeconfig, namespace: "apps" } as Parameters<typeof openCluster>[0]);
  onTestFinished(async () => {
    await cluster.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  return cluster;
}

test("of a long log the end is read, which says why a program ended, and that there was more", async () => {
  const lines = Array.from({ length: 9_000 }, (_, at) => `line ${at} of a migration that says much\n`);
  // As a cluster does: the last lines, and of those the first bytes.
  const cluster = await clusterOf(({ url }, response) => {
    const { searchParams } = new URL(url ?? "", "http://cluster");
    const last = lines.slice(-Number(searchParams.get("tailLines"))).join("");
    response.end(last.slice(0, Number(searchParams.get("limitBytes"))));
  });
  const text = await cluster.readLog("pod", { isPrevious: false, lines: 10_000 });
  expect(text.endsWith(lines.slice(-1_000).join(""))).toBe(true);
  expect(text.startsWith("… what came before was left out\nline ")).toBe(true);
  expect(text.length).toBeLessThan(70_000);
  expect(await cluster.readLog("pod", { isPrevious: false, lines: 2 })).toBe(lines.slice(-2).join(""));
});

test("what a pod writes is told as it comes, without waiting for the end of a line", async () => {
  const cluster = await clusterOf((_request, response) => void response.write("a line without an end"));
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const { promise, resolve } = Promise.withResolvers<string>();
  const take = (text: string) => void resolve(text);
  const following = cluster.followLog("pod", new Date(), take as never, ending.signal);
  expect(await Promise.race([promise, following])).toBe("a line without an end");
  ending.abort();
  await expect(following).rejects.toThrow();
});

const labels = { "slipway/deployment": "d", "slipway/release": "r", "slipway/program": entryLabel };
const status = { containerStatuses: [{ restartCount: 0, state: { running: {} } }] };
const pod = { metadata: { name: "pod", labels }, status } as never;
const withConfiguration = (async () => ({ items: [{}], resourceVersion: "" })) as never;

test("a pod whose version has lost its secrets is not listened to; one that never had any is", async () => {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const told: unknown[] = [];
  for (const list of [async () => ({ items: [], resourceVersion: "" }), withConfiguration]) {
    const { promise: hasEnded, resolve } = Promise.withResolvers<void>();
    const cluster: Pick<Cluster, "read" | "list" | "followLog"> = {
      read: async () => undefined,
      list: async (...asked) => {
        setImmediate(resolve);
        return (list as Cluster["list"])(...asked);
      },
      followLog: async (_pod, _since, onText) => {
        await onText("the key is open-sesame\n");
        setImmediate(resolve);
      },
    };
    const onEvent = (event: object) => void told.push(event);
    new PodLogs({ cluster: cluster as Cluster, onEvent }, ending.signal).follow([pod]);
    await hasEnded;
    if (list !== withConfiguration) expect(told).toEqual([]);
  }
  expect(told).toMatchObject([{ is: "output", text: "the key is open-sesame\n" }]);
});

test("a log whose connection breaks goes on from there, and tells no part of a secret", async () => {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const asked: Date[] = [];
  const cluster: Pick<Cluster, "read" | "list" | "followLog"> = {
    read: (async () => ({ data: { KEY: Buffer.from("open-sesame").toString("base64") } })) as never,
    list: withConfiguration,
    followLog: async (_pod, since, onText) => {
      asked.push(since);
      await onText(`${asked.length}: a line\nthe key is open-se`);
      await until(() => Date.now() > since.getTime());
      throw new Error("terminated");
    },
  };
  const told: string[] = [];
  const onEvent = (event: { readonly is: string; readonly text?: string }) => void told.push(event.text ?? "");
  const logs = new PodLogs({ cluster: cluster as Cluster, onEvent }, ending.signal);
  await until(() => {
    logs.follow([pod]);
    return asked.length === 2;
  });
  expect(asked[1]!.getTime()).toBeGreaterThan(asked[0]!.getTime());
  expect(told.slice(0, 2)).toEqual(["1: a line\n", "2: a line\n"]);
});

test("a pod that writes without end is read slowly, and fills no log", { tags: "long" }, async () => {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const piece = "x".repeat(1 << 20);
  const pauses: (Promise<void> | undefined)[] = [];
  const cluster: Pick<Cluster, "read" | "list" | "followLog"> = {
    read: async () => undefined,
    list: withConfiguration,
    followLog: async (_pod, _since, onText) => {
      for (let count = 0; count < 32; count += 1) pauses.push(onText(piece)?.catch(() => undefined));
    },
  };
  let told = 0;
  const onEvent = (event: { readonly is: string; readonly text?: string }) => {
    told += event.text?.length ?? 0;
  };
  const logs = new PodLogs({ cluster: cluster as Cluster, onEvent }, ending.signal);
  logs.follow([pod]);
  await until(() => pauses.length === 32);
  expect(pauses.every((pause) => pause !== undefined)).toBe(true);
  expect(told).toBeGreaterThan(1 << 20);
  expect(told).toBeLessThan(8 << 20);
});
