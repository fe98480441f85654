import { expect, test } from "vitest";
import { readAddress } from "../src/routing/addresses.ts";

test("an address means a page, one of many, or nothing", () => {
  for (const start of ["/", "/projects", "/sign-in", "/sign-in/done"])
    expect(readAddress(start)).toEqual({ page: "start" });
  expect(readAddress("/agents")).toEqual({ page: "agents" });
  expect(readAddress("/webhooks/")).toEqual({ page: "webhooks" });
  expect(readAddress("/projects/proj_1")).toEqual({ page: "projects", id: "proj_1" });
  expect(readAddress("/applications/a%20b")).toEqual({ page: "applications", id: "a b" });
  expect(readAddress("/webhooks/50%")).toEqual({ page: "webhooks", id: "50%" });
  for (const nothing of ["/nothing", "/agents/1", "/constructor", "/application", "/projects/", "/docs/x"])
    expect(readAddress(nothing), nothing).toBeUndefined();
});
