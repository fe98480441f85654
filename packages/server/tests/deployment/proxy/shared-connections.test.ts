import { expect, test } from "vitest";
import { SharedConnections } from "../../../src/deployment/proxy/shared-connections.ts";

/** Takes as many as it can get. */
function takeAll(member: ReturnType<SharedConnections["join"]>): number {
  while (member.held < 10_000 && member.take());
  return member.held;
}

test("a proxy that takes all connections leaves the others their share", () => {
  const shared = new SharedConnections(100);
  const [greedy, other, third] = [shared.join(), shared.join(), shared.join()];
  expect(takeAll(greedy)).toBe(67);
  expect(takeAll(other)).toBe(17);
  expect(takeAll(third)).toBe(17);
});

test("connections that are given back are there for others, and so are those of a proxy that is gone", () => {
  const shared = new SharedConnections(100);
  const [greedy, other] = [shared.join(), shared.join()];
  expect(takeAll(greedy)).toBe(75);
  for (let at = 0; at < 50; at += 1) greedy.giveBack();
  expect(takeAll(other)).toBe(75);
  shared.leave(other);
  expect(takeAll(greedy)).toBe(100);
});
