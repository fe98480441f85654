import { createClient } from "@slipway/client";
import { expect, test } from "vitest";
import { sendJson, sendProblem, serveHttp } from "../../client/tests/serve-http.ts";
import { quickFetch } from "../src/connection/quick-fetch.ts";

const read = { params: { project_id: "proj_1" } };

test("a call is sent and answered as by fetch: bodies, problems, redirects, aborts and lost connections", async () => {
  const stop = new AbortController();
  const server = await serveHttp(({ method, url }, response, count) => {
    if (method === "POST") sendJson(response, 201, { project_id: "größe" });
    else if (count === 2) sendProblem(response, 503, "overloaded", { "retry-after": "0" });
    else if (count === 3) sendProblem(response, 404, "not_found");
    else if (count === 4) response.writeHead(307, { location: url }).end();
    else if (count === 5) sendJson(response, 200, { project_id: "redirected" });
    else if (count === 6) stop.abort(new Error("enough"));
    else response.destroy();
  });
  const client = createClient({ url: server.url, token: "t", fetch: quickFetch, retries: 1 });
  expect(await client.projects.create("id: ü\n")).toEqual({ project_id: "größe" });
  expect(server.received[0]).toMatchObject({
    body: "id: ü\n",
    headers: { authorization: "Bearer t", "content-type": "application/yaml", "content-length": "7" },
  });
  await expect(client.call("readProject", read)).rejects.toMatchObject({ code: "not_found" });
  expect(await client.call("readProject", read)).toEqual({ project_id: "redirected" });
  await expect(client.call("readProject", { ...read, signal: stop.signal })).rejects.toThrow("enough");
  await expect(client.call("readProject", read)).rejects.toThrow(/^Cannot reach http:\/\/127\.0\.0\.1:\d+: /);
});
