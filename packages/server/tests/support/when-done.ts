import { afterAll, onTestFinished, TestRunner } from "vitest";

/** Cleans up after the test that has asked for it, else after the file's tests: inside a test, `afterAll` would do nothing. */
export function whenDone(clean: () => unknown): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(async () => void (await clean()));
  else onTestFinished(async () => void (await clean()));
}
