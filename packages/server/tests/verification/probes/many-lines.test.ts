import { acceptanceLines } from "@slipway/spec";
import { expect, test } from "vitest";
import { checkSoftware } from "../../../src/verification/probes/check-software.ts";
import { documentWith, sharedSandbox, writeProject } from "../../support/verification/test-project.ts";

test("while thousands of requests are told that nothing runs, others have their turns", async () => {
  const endpoints = Array.from({ length: 2_000 }, (_, at) => ({ path: `/${at}`, method: "GET", status: 200 }));
  const document = documentWith({ acceptance: { http_endpoints: endpoints } } as never);
  const { signal } = new AbortController();
  const sandbox = await sharedSandbox();
  const check = async (count: number) => {
    const lines = acceptanceLines(document).slice(0, count);
    let [turns, isOver] = [0, false];
    const take = () => {
      turns += 1;
      if (!isOver) setImmediate(take);
    };
    take();
    const { verdicts } = await checkSoftware(sandbox, {
      ...{ document, scripts: {}, folder: writeProject({}), lines, secrets: { KEY: "correct-horse" } },
      ...{ cache: undefined, minuteMs: 60_000, loadMs: 200, signal },
      openLog: () => ({ write: () => undefined, end: () => undefined }),
    });
    isOver = true;
    expect(verdicts).toHaveLength(count);
    return turns;
  };
  await check(1);
  const usual = await check(1);
  const many = await check(2_000);
  expect(many).toBeGreaterThan(usual + 1);
});
