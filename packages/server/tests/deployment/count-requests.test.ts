import { expect, test } from "vitest";
import { areAllCounted, countRequests, requestsSince } from "../../src/deployment/count-requests.ts";
import type { SupervisorLink } from "../../src/deployment/supervisor-link.ts";

type Counts = readonly [requests: number, failed: number, dropped: number];

/** What a supervisor has counted, by version. */
async function counted(versions: Readonly<Record<string, Counts>>) {
  const traffic = Object.entries(versions).map(([release, [requests, failed, dropped]]) => ({
    ...{ release, requests, failed, dropped, p50Ms: 1, p99Ms: 1, inFlight: 0 },
  }));
  const list = async () => [{ deploymentId: "dep_1", port: 1, shares: [], releases: [], traffic }];
  const link = { find: async () => ({ list }) } as unknown as SupervisorLink;
  return countRequests(link, "dep_1", undefined);
}

test("requests that are dropped meanwhile count, though an old version with as many is not told of any more", async () => {
  const before = await counted({ oldest: [500, 9, 7], live: [100, 1, 0] });
  const after = await counted({ live: [120, 2, 3], next: [10, 0, 0] });
  expect(requestsSince(before, after)).toEqual({ total: 30, failed: 1, dropped: 3 });
});

test("a supervisor that was started again counts from nothing", async () => {
  const before = await counted({ live: [100, 1, 4] });
  expect(requestsSince(before, await counted({ live: [20, 0, 2] }))).toEqual({ total: 20, failed: 0, dropped: 2 });
});

test("requests go past who counts where one of both versions is elsewhere, or was brought live by a script", () => {
  const here = { isByScript: false, url: null };
  const elsewhere = { isByScript: false, url: "http://shop.cluster.example" };
  const byScript = { isByScript: true, url: null };
  expect(areAllCounted([here, here])).toBe(true);
  for (const other of [elsewhere, byScript])
    expect([areAllCounted([here, other]), areAllCounted([other, here])]).toEqual([false, false]);
});
