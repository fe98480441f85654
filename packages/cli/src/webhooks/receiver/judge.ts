import type { Expected } from "./checks.ts";
import type { Answer } from "./post.ts";

export type Verdict = "pass" | "warn" | "fail";

export interface Judgement {
  readonly verdict: Verdict;
  /** What is wrong and how to fix it; null if the check passed. */
  readonly hint: string | null;
}

/** A receiver this slow would time out under load. */
const slowMs = 5_000;

const passed: Judgement = { verdict: "pass", hint: null };

/** Judges a receiver by the worst of its answers. */
export function judge(expected: Expected, answers: readonly Answer[]): Judgement {
  const all = answers.map((answer) => judgeOne(expected, answer));
  return all.find(({ verdict }) => verdict === "fail") ?? all.find(({ verdict }) => verdict === "warn") ?? passed;
}

function judgeOne(expected: Expected, answer: Answer): Judgement {
  if (answer.is === "silence") return fail(`The receiver did not answer (${answer.why}).`);
  const { status, ms } = answer;
  if (status >= 300 && status < 400)
    return fail("The receiver redirects, and Slipway does not follow: register the target address.");
  const kind = status >= 200 && status < 300 ? "2xx" : status >= 400 && status < 500 ? "4xx" : "other";
  if (kind === "other") return fail(failure[expected]);
  if (kind === "2xx" && expected === "refused")
    return fail(
      "The receiver accepts a request that Slipway did not send: anyone who knows its address can send it events.",
    );
  if (kind === "4xx" && expected === "accepted")
    return fail(
      "The receiver refuses a valid delivery. Does it use the same secret, and does it verify the body as received?",
    );
  if (kind === "4xx" && [408, 425, 429].includes(status))
    return fail(`${status} asks for a retry: answer with 400 or 401 instead.`);
  if (status === 410) return warn("410 makes Slipway disable the webhook: answer with 400 or 401 instead.");
  if (ms > slowMs) return warn("The receiver is slow: answer first, then work. Slipway gives up after 15 seconds.");
  return passed;
}

const failure: Readonly<Record<Expected, string>> = {
  accepted: "The receiver fails on a valid delivery; Slipway would retry it again and again.",
  refused: "The receiver fails instead of refusing: answer with 400 or 401. Slipway retries everything but a 2xx.",
  either: "The receiver fails: answer with 2xx, or with 400 or 401.",
};

function fail(hint: string): Judgement {
  return { verdict: "fail", hint };
}

function warn(hint: string): Judgement {
  return { verdict: "warn", hint };
}
