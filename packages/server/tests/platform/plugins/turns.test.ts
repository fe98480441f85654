import { expect, test } from "vitest";
import { Turns } from "../../../src/platform/plugins/turns.ts";

test("some work at once, some wait for them, and the rest is refused", async () => {
  const turns = new Turns({ atOnce: 1, maxWaiting: 1 });
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let begun = 0;
  const begin = (work: Promise<string>) =>
    turns.take(() => {
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
