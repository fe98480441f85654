import { expect, test } from "vitest";
import { hideSecrets } from "../../../src/engine/execution/masked-attempt.ts";

const secret = "of-one-line-42";

test("an error of ours keeps what it is, and tells no secret: neither it nor what it was made of", () => {
  const cause = new Error(`no place for ${secret}`);
  const error = Object.assign(new TypeError(`could not read ${secret}`, { cause }), { code: "EODD" });
  expect(hideSecrets(error, [secret])).toBe(error);
  expect(error).toMatchObject({ message: "could not read ********", code: "EODD", name: "TypeError" });
  expect(cause.message).toBe("no place for ********");
  expect(`${error.stack}${cause.stack}`).not.toContain(secret);
});

test("errors that were made of each other, or that are none, are hidden, too", () => {
  const [one, other] = [new Error(`one ${secret}`), new Error(`other ${secret}`)];
  one.cause = other;
  other.cause = one;
  expect(hideSecrets(one, [secret])).toMatchObject({ message: "one ********", cause: { message: "other ********" } });
  expect(hideSecrets(`thrown ${secret}`, [secret])).toMatchObject({ message: "thrown ********" });
});

test("nor does what the log shows beside its words: paths, what a program printed, what else failed", () => {
  const path = `/data/${secret}`;
  const failed = Object.assign(new Error("open failed"), { path, stderr: `no ${secret}`, errno: -2 });
  const error = new AggregateError([failed, "odd"], "some", { cause: `of ${secret}` });
  expect(hideSecrets(error, [secret])).toBe(error);
  expect(failed).toMatchObject({ path: "/data/********", stderr: "no ********", errno: -2 });
  expect(error.cause).toBe("of ********");
});

test("a timeout, whose words cannot be set, is still told as one", () => {
  const late = new DOMException(`waited for ${secret}`, "TimeoutError");
  const error = new Error("failed", { cause: late });
  expect(hideSecrets(error, [secret])).toBe(error);
  expect(late).toMatchObject({ name: "TimeoutError", message: "waited for ********" });
  expect(JSON.stringify(error)).toBe("{}");
});
