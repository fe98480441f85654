import { expect, test } from "vitest";
import { ConcurrencyLimiter } from "../../../src/platform/plugins/concurrency-limiter.ts";

test("some run at once, some wait, and the rest is refused", async () => {
  const limiter = new ConcurrencyLimiter({ maxConcurrent: 1, maxWaiting: 1 });
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let begun = 0;
  const begin = (work: Promise<string>) =>
    limiter.run(() => {
      begun += 1;
      return work;
    });
  const [one, two] = [begin(first.promise), begin(second.promise)];
  await expect(begin(Promise.resolve("three"))).rejects.toMatchObject({ code: "overloaded" });
  expect(begun).toBe(1);
  first.reject(new Error("sunk"));
  await expect(one).rejects.toThrow("sunk");
  second.resolve("two");
  expect(await two).toBe("two");
  expect(await begin(Promise.resolve("four"))).toBe("four");
});
