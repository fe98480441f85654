import type { Expected } from "./checks.ts";
import type { Answer } from "./post.ts";

export type Verdict = "pass" | "warn" | "fail";

export interface Judgement {
  readonly verdict: Verdict;
  /** What is wrong, and what to do about it; nothing where all is well. */
  readonly hint: string | null;
}

/** Longer, and a busy day makes it too long. */
const slowMs = 5_000;

const right: Judgement = { verdict: "pass", hint: null };

/** What is to be said of a receiver that answered so: the worst of its answers counts. */
export function judge(expected: Expected, answers: readonly Answer[]): Judgement {
  const all = answers.map((answer) => judgeOne(expected, answer));
  return all.find(({ verdict }) => verdict === "fail") ?? all.find(({ verdict }) => verdict === "warn") ?? right;
}

function judgeOne(expected: Expected, answer: Answer): Judgement {
  if (answer.is === "silence") return fail(`It gave no answer (${answer.why}).`);
  const { status, ms } = answer;
  if (status >= 300 && status < 400)
    return fail("It redirects, which is not followed: register the address that it leads to.");
  const kind = status >= 200 && status < 300 ? "2xx" : status >= 400 && status < 500 ? "4xx" : "other";
  if (kind === "other") return fail(failure[expected]);
  if (kind === "2xx" && expected === "refused")
    return fail("It takes what Slipway did not send: whoever knows the address can tell it anything.");
  if (kind === "4xx" && expected === "accepted")
    return fail("It refuses a right delivery. Is the secret the same, and is the body verified as it came?");
  if (kind === "4xx" && [408, 425, 429].includes(status))
    return fail(`${status} says 'not now', not 'no': answer with 400 or 401.`);
  if (status === 410) return warn("410 asks Slipway to disable the webhook: answer with 400 or 401.");
  if (ms > slowMs) return warn("It is slow: answer first, then work. After 15 seconds a delivery counts as failed.");
  return right;
}

const failure: Readonly<Record<Expected, string>> = {
  accepted: "It fails at a right delivery, which would be sent again and again.",
  refused: "It fails instead of refusing: answer with 400 or 401. Whatever is no 2xx is sent again.",
  either: "It fails: answer with 2xx, or with 400 or 401.",
};

function fail(hint: string): Judgement {
  return { verdict: "fail", hint };
}

function warn(hint: string): Judgement {
  return { verdict: "warn", hint };
}
