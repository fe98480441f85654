import { expect, test } from "vitest";
import { FakeService, projectId } from "./fake-service.ts";
import { slipway } from "./run-slipway.ts";

test("slipway open prints a link that signs in, to a project if one is named, and without a code if a key makes none", async () => {
  const service = await new FakeService().listen();
  const { env, url } = service;
  expect((await slipway(["open"], { env })).out).toBe(`${url}/\n`);
  service.answer("POST /api/v1/auth/sign-in-codes", { code: "spec_oc_1" });
  expect(await slipway(["open", projectId], { env })).toMatchObject({
    code: 0,
    out: `${url}/projects/${projectId}#sign-in=spec_oc_1\n`,
  });
  const { out } = await slipway(["open", "--json"], { env });
  expect(JSON.parse(out)).toEqual({ url: `${url}/#sign-in=spec_oc_1` });
});
