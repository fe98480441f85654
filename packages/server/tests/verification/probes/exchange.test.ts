import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { exchange } from "../../../src/verification/probes/exchange.ts";

test("a request may take a fraction of a second that no timer knows", async () => {
  const server = createServer((_, response) => response.end("well"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  // As `read_seconds: 16.1` of a document.
  const request = {
    method: "GET",
    url,
    headers: {},
    timeoutMs: 16_100.000000000002,
    signal: new AbortController().signal,
  };
  expect(await exchange(request)).toMatchObject({ answer: { status: 200, text: "well" } });
});
