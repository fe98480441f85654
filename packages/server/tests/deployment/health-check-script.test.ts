import { expect, onTestFinished, test, vi } from "vitest";
import { runHealthCheck, type ScriptToRun } from "../../src/deployment/run-scripts.ts";

type Asked = Parameters<typeof runHealthCheck>[2];

function scriptWith(health_check_retries: number): Asked {
  const document = { guardrails: { deployment: { health_check_retries } } } as ScriptToRun["document"];
  return {
    ...{ command: "sleep 59; exit 1", document, folder: "/", env: {}, secrets: {}, limitMs: 60_000, maxDiskBytes: 1 },
    signal: new AbortController().signal,
    openLog: () => ({ write: () => undefined, end: () => undefined }) as unknown as ReturnType<Asked["openLog"]>,
  };
}

test("a health check is asked again only as long as its deployment may take", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let asked = 0;
  const run = async () => {
    asked += 1;
    vi.advanceTimersByTime(60_000);
    return "scripts.health_check ended with exit code 1.";
  };
  expect(await runHealthCheck(run, "http://127.0.0.1:1", scriptWith(100))).toBe(
    "scripts.health_check ended with exit code 1. It is not asked again beyond timeouts.implementation_minutes.",
  );
  expect(asked).toBe(1);
  // One that is never asked again has not run out of time.
  expect(await runHealthCheck(run, "http://127.0.0.1:1", scriptWith(0))).toBe(
    "scripts.health_check ended with exit code 1.",
  );
});
