import { expect, test } from "vitest";
import { Masker } from "../../src/platform/secrets/index.ts";
import { answerProblems } from "../../src/verification/probes/answer-problems.ts";
import { readCargoOutput } from "../../src/verification/tests/read-cargo-output.ts";
import { readGoEvents } from "../../src/verification/tests/read-go-events.ts";
import { withoutStack } from "../../src/verification/tests/to-cases.ts";

const secret = "Zebra7Quux9Kilo3Mango5Delta1Oscar8Tango2Yankee";
const masker = new Masker([secret]);
const { signal } = new AbortController();

/** Ends with its first half where a text is cut after so many characters; before it, masking makes the text short. */
function before(length: number): string {
  const half = length - secret.length / 2;
  return `${`${secret} `.repeat(half / (secret.length + 1))}`.padEnd(half, "-") + secret;
}

test.for([
  ["a test", () => withoutStack(before(8_000))],
  ["a test of Rust", () => messageOf(readCargoOutput(cargo(before(2_000)), 10))],
  [
    "what does not compile, in Go",
    () => messageOf(readGoEvents("FAIL\ta [build failed]", 10, `# a\n${before(4_000)}`)),
  ],
  ["a package of Go", () => messageOf(readGoEvents("FAIL\tb [build failed]", 10, before(4_000)))],
] as const)("of a secret that the cut message of %s ends with, nothing is told", ([_, message]) => {
  const shown = masker.mask(message());
  expect(shown).toContain("********");
  expect(shown.replaceAll(secret, "")).not.toContain(secret.slice(0, 4));
});

test("of a secret at the end of what is read of a page, nothing is told", async () => {
  const tag = `<html><p title="${"a".repeat(20_000 - 18 - 20)}">`;
  const answer = { status: 500, text: `${tag}${secret}` } as never;
  const problems = await answerProblems(answer, { status: { exactly: 200 } } as never, { signal, masker });
  expect(problems.join(" ")).toContain("with: ");
  expect(problems.join(" ")).not.toContain(secret.slice(0, 4));
});

function cargo(said: string): string {
  return `running 1 test\ntest a ... FAILED\n\n---- a stdout ----\n${said}\n\ntest result: FAILED.\n`;
}

function messageOf(cases: readonly { readonly message: string }[] | undefined): string {
  return cases?.[0]?.message ?? "";
}
