import { verifyWebhook, verifyWebhookBody } from "@slipway/client";
import { describe, expect, test } from "vitest";
import { judge } from "../src/webhooks/receiver/judge.ts";
import { post } from "../src/webhooks/receiver/post.ts";
import { slipway } from "./run-slipway.ts";
import { type Received, serveReceiver } from "./serve-receiver.ts";

const secret = "whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0x";
const env = { SLIPWAY_WEBHOOK_SECRET: secret };

interface Report {
  readonly verdict: string;
  readonly checks: readonly { readonly name: string; readonly verdict: string; readonly hint: string | null }[];
}

/** What is said of a receiver: the names of the checks that did not pass. */
async function verdictOn(reply: Parameters<typeof serveReceiver>[0]) {
  const receiver = await serveReceiver(reply);
  const { code, out, err } = await slipway(["webhooks", "verify", receiver.url, "--json"], { env });
  const { verdict, checks } = JSON.parse(out) as Report;
  const named = (wanted: string) => checks.filter((check) => check.verdict === wanted).map(({ name }) => name);
  return { code, err, verdict, checks, failed: named("fail"), warned: named("warn") };
}

const right = ({ headers, body }: Received) =>
  verifyWebhook(secret, headers, body).then(
    () => 204,
    () => 400,
  );

const good = ["good_delivery", "unknown_version_beside", "rotation_known_first", "rotation_known_last", "duplicate"];
const goodToo = ["reordered", "unknown_event", "unknown_member", "other_scripts", "large_body", "good_after_bad"];
const changed = ["wrong_signature", "changed_body", "changed_id", "changed_timestamp"];
const missing = ["no_signature", "no_id", "no_timestamp", "empty_signature", "malformed_signature"];
const moved = ["malformed_timestamp", "stale_timestamp", "future_timestamp"];
const refused = [...changed, ...missing, ...moved, "only_unknown_version"];

describe("slipway webhooks verify", () => {
  test("passes a correct receiver, and shows what it sent and got", async () => {
    const receiver = await serveReceiver(right);
    const { code, out, err } = await slipway(["webhooks", "verify", receiver.url, "--secret", "-"], {
      env: { SLIPWAY_WEBHOOK_SECRET: "" },
      input: `${secret}\n`,
    });
    expect([code, err]).toEqual([0, ""]);
    const [headings, first] = out.split("\n");
    expect(headings?.split(/ +/)).toEqual(["VERDICT", "CHECK", "SENT", "EXPECTED", "GOT", "MS"]);
    expect(first).toMatch(/^pass {5}good_delivery +a valid delivery +2xx +204 +\d+$/);
    expect(out).toContain("duplicate: The receiver must answer both with 2xx, and only the first may have an effect");
    expect(out).toMatch(/\n25 checks: 25 passed, 0 with a warning, 0 failed\n$/);
    expect(new Set(receiver.received.map(({ method, url }) => `${method} ${url}`))).toEqual(new Set(["POST /hook"]));
    expect(receiver.received.map(({ body }) => body.length).filter((bytes) => bytes > 200 * 1024)).toHaveLength(1);
  });

  test("fails a receiver that takes everything, for each delivery that it should refuse", async () => {
    const { code, verdict, failed, warned } = await verdictOn(() => 200);
    expect({ code, verdict, failed, warned }).toEqual({ code: 1, verdict: "fail", failed: refused, warned: [] });
  });

  test("fails a receiver that refuses everything, for each delivery that it should take", async () => {
    const { code, failed } = await verdictOn(() => 401);
    expect({ code, failed }).toEqual({ code: 1, failed: [...good, ...goodToo] });
  });

  test("finds the one thing that a receiver gets wrong", async () => {
    const forever = await verdictOn(({ headers, body }) =>
      verifyWebhook(secret, headers, body, { toleranceSeconds: 1e12 }).then(
        () => 204,
        () => 400,
      ),
    );
    expect(forever.failed).toEqual(["stale_timestamp", "future_timestamp"]);
    const onlyBody = await verdictOn(({ body }) =>
      verifyWebhookBody(secret, body).then(
        () => 204,
        () => 400,
      ),
    );
    expect(onlyBody.failed).toEqual(
      [...refused, "rotation_known_last"].filter((name) => name !== "wrong_signature" && name !== "changed_body"),
    );
    const crashing = await verdictOn(async (received) => ((await right(received)) === 204 ? 204 : 500));
    expect(crashing.failed).toEqual(refused);
    const strict = await verdictOn(async (received) => {
      const seen = String(received.headers["webhook-attempt"]) !== "1";
      return seen ? 409 : right(received);
    });
    expect(strict.failed).toEqual(["duplicate"]);
  });

  test("warns of a receiver that says 410, and does not follow one that redirects", async () => {
    const gone = await verdictOn(async (received) => ((await right(received)) === 204 ? 204 : 410));
    expect({ code: gone.code, failed: gone.failed, warned: gone.warned }).toEqual({
      code: 0,
      failed: [],
      warned: refused,
    });
    const target = await serveReceiver(() => 204);
    const redirecting = await verdictOn(() => ({ status: 307, location: target.url }));
    expect(redirecting.failed).toHaveLength(25);
    expect(redirecting.checks[0]?.hint).toContain("The receiver redirects, and Slipway does not follow");
    expect(target.received).toEqual([]);
  });

  test("goes on where a receiver hangs up, but not where it always does, and ends with 5 where there is none", async () => {
    const { code, failed } = await verdictOn(async (received) => ((await right(received)) === 204 ? 204 : "hang up"));
    expect({ code, failed }).toEqual({ code: 1, failed: refused });
    const silent = await verdictOn(() => "hang up");
    expect({ code: silent.code, failed: silent.failed, count: silent.checks.length }).toEqual({
      code: 1,
      failed: ["good_delivery"],
      count: 1,
    });
    const nobody = await slipway(["webhooks", "verify", "http://127.0.0.1:1/"], { env });
    expect(nobody).toMatchObject({ code: 5, out: "", err: expect.stringContaining("Cannot reach") });
  });

  test.for([
    [["receiver"], secret, "'receiver' is not a receiver address"],
    [["http://127.0.0.1:1"], "", "give the receiver's secret"],
    [["http://127.0.0.1:1"], "whsec_!", "base64 must follow 'whsec_'"],
  ] as const)("called wrongly with %o and '%s' it says what is wrong", async ([args, variable, message]) => {
    const called = await slipway(["webhooks", "verify", ...args], { env: { SLIPWAY_WEBHOOK_SECRET: variable } });
    expect(called).toMatchObject({ code: 2, out: "", err: expect.stringContaining(message) });
  });
});

test("a receiver that does not answer in time gave no answer", async () => {
  const receiver = await serveReceiver(() => "nothing");
  const posting = { headers: {}, body: "é" };
  const answer = await post(new URL(receiver.url), posting, new AbortController().signal, 50);
  expect(answer).toMatchObject({ is: "silence", why: "no answer in 0.05 s", isConnected: true });
});

test("what is posted has the bytes and headers that were given, but those of its own connection", async () => {
  const receiver = await serveReceiver(() => 204);
  const headers = { "content-type": "text/plain", host: "elsewhere", "Content-Length": "7", "x-odd": "yes" };
  const answer = await post(new URL(receiver.url), { headers, body: "é" }, new AbortController().signal);
  expect(answer).toMatchObject({ is: "answer", status: 204 });
  expect(receiver.received[0]?.body.toString()).toBe("é");
  expect(receiver.received[0]?.headers).toEqual({
    "content-type": "text/plain",
    "x-odd": "yes",
    host: new URL(receiver.url).host,
    "content-length": "2",
    connection: "close",
  });
});

test("the worst answer counts, and slow ones are warned of", () => {
  const answered = (status: number, ms = 1) => ({ is: "answer", status, ms }) as const;
  expect(judge("accepted", [answered(200), answered(500)]).verdict).toBe("fail");
  expect(judge("accepted", [answered(204), answered(200, 6_000)]).verdict).toBe("warn");
  expect(judge("refused", [answered(429)]).verdict).toBe("fail");
  expect(judge("either", [answered(204), answered(400)]).verdict).toBe("pass");
  expect(judge("either", [answered(502)]).verdict).toBe("fail");
});
