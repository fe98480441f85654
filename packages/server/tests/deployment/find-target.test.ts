import type { CompleteSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { type DeploymentTargets, findTarget, unservedRequests } from "../../src/deployment/find-target.ts";
import { readKubernetesSettings } from "../../src/deployment/kubernetes/index.ts";

const cluster = { namespace: "apps", image: "registry.example/{application}:{version}" };
const settings = (more = {}) => readKubernetesSettings({ ...cluster, ...more }, "slipway.yaml");
const given: DeploymentTargets = { kubernetes: settings({ images: "given" }), ssh: new Map([["web", {}]]) };
const two: DeploymentTargets = {
  ssh: new Map([
    ["web", {}],
    ["db", {}],
  ]),
};

const wish = (deployment: object) => ({ deployment }) as Pick<CompleteSpec, "deployment" | "scripts">;

test.each<[object, DeploymentTargets, string]>([
  [{}, {}, "process"],
  [{ orchestrator: "Process", platforms: ["linux"] }, {}, "process"],
  [{ orchestrator: "k8s" }, given, "kubernetes"],
  [{ platforms: ["kubernetes"] }, given, "kubernetes"],
  [{ platforms: ["kubernetes", "local"] }, given, "process"],
  [{ orchestrator: "systemd" }, given, "ssh:web"],
  [{ orchestrator: "ssh", platforms: ["db"] }, two, "ssh:db"],
])("%j goes to where it says", (deployment, targets, target) => {
  expect(unservedRequests(wish(deployment), targets)).toEqual([]);
  expect(findTarget(wish(deployment), targets)).toBe(target);
});

test.each<[object, DeploymentTargets, string, RegExp]>([
  [{ orchestrator: "nomad" }, given, "orchestrator", /No adapter deploys with 'nomad'/],
  [{ orchestrator: "kubernetes" }, {}, "orchestrator", /declares no cluster/],
  [{ platforms: ["k8s"] }, {}, "platforms", /declares no cluster/],
  [
    { orchestrator: "kubernetes" },
    { kubernetes: settings() },
    "orchestrator",
    /No container engine here builds images/,
  ],
  [{ orchestrator: "ssh" }, {}, "orchestrator", /declares no machine/],
  [{ orchestrator: "ssh" }, two, "orchestrator", /several machines.*web, db/],
  [{ orchestrator: "kubernetes", platforms: ["ios"] }, given, "platforms", /No adapter deploys to 'ios'/],
])("%j is refused where nothing serves it", (deployment, targets, key, reason) => {
  expect(unservedRequests(wish(deployment), targets)).toEqual([
    { pointer: `/deployment/${key}`, reason: expect.stringMatching(reason) },
  ]);
});

test("settings of a cluster are refused with every problem at once", () => {
  const wrong = {
    namespace: "No",
    image: "registry.example/app:latest",
    ingress: { host: "one.example" },
    address: "x",
  };
  expect(() => readKubernetesSettings(wrong, "slipway.yaml")).toThrow(
    /address in slipway.yaml is not a key[\s\S]*namespace.*must be a name[\s\S]*host.*must contain[\s\S]*image.*must contain '\{version\}'/,
  );
  expect(readKubernetesSettings(undefined, "slipway.yaml")).toBeUndefined();
});
