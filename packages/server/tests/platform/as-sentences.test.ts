import { expect, test } from "vitest";
import { asSentences } from "../../src/platform/as-sentences.ts";
import { createSandbox } from "../../src/platform/sandbox/index.ts";

test("the notice of plain processes is made of whole sentences", async () => {
  const { reasons } = (await createSandbox({ mode: "none", dataFolder: "data" })).found;
  expect(asSentences(reasons)).toMatch(
    /^The operator has set sandbox: none\. Plain processes can read and change all files .+, and use its network\./,
  );
  expect(asSentences(["one. two.", "three"])).toBe("One. two. Three.");
  expect(asSentences([])).toBe("");
});
