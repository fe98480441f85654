import type { CompleteSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { type DeploymentTargets, findTarget, unservedRequests } from "../../src/deployment/find-target.ts";
import { readKubernetesSettings } from "../../src/deployment/kubernetes/index.ts";
import { readSshSettings } from "../../src/deployment/ssh/index.ts";

const cluster = { namespace: "apps", image: "registry.example/{application}:{version}" };
const settings = (more = {}) => readKubernetesSettings({ ...cluster, ...more }, "slipway.yaml");
const machine = {
  host: "web.example",
  user: "deploy",
  key: "/keys/web",
  host_key: "ssh-ed25519 AAAA",
  folder: "/srv/slipway",
};
const machines = (...names: string[]) =>
  readSshSettings({ targets: Object.fromEntries(names.map((name) => [name, machine])) }, "slipway.yaml");
const given: DeploymentTargets = { kubernetes: settings({ images: "given" }), ssh: machines("web") };
const two: DeploymentTargets = { ssh: machines("web", "db") };

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

test("settings of a machine are refused with every problem at once", () => {
  const wrong = { ...machine, folder: "/srv/a b;rm", host_key: "none", user: "root", ports: "1-9", password: "x" };
  expect(() => readSshSettings({ targets: { web: wrong } }, "slipway.yaml")).toThrow(
    /password in slipway.yaml is not a key[\s\S]*run_as.*must name the account[\s\S]*host_key.*must be[\s\S]*folder.*must be[\s\S]*ports.*must be/,
  );
  expect(readSshSettings(undefined, "slipway.yaml").size).toBe(0);
});
