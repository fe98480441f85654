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

test("what an error bears besides its words is hidden, too: paths, commands, further errors", () => {
  const further = new AggregateError([new Error(`one ${secret}`)], "several", { cause: `text ${secret}` });
  const bears = { path: `/files/${secret}`, spawnargs: ["-c", secret], code: "EIO", errno: -5, request: { secret } };
  const error = Object.assign(new Error("no", { cause: further }), bears);
  hideSecrets(error, [secret]);
  expect(error).toMatchObject({ path: "/files/********", spawnargs: ["-c", "********"], code: "EIO", errno: -5 });
  expect(error.request).toBeUndefined();
  expect(further).toMatchObject({ cause: "text ********", errors: [{ message: "one ********" }] });
});

test("an error that has its message by a getter is hidden, and stays what it is", () => {
  const error = new DOMException(`took too long: ${secret}`, "TimeoutError");
  expect(hideSecrets(error, [secret])).toBe(error);
  expect(error).toMatchObject({ message: "took too long: ********", name: "TimeoutError" });
});
