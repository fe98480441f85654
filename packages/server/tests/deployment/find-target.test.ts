import type { CompleteSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import {
  type DeploymentTarget,
  findTarget,
  processTarget,
  unservedRequests,
} from "../../src/deployment/find-target.ts";
import { kubernetesTarget, readKubernetesSettings } from "../../src/deployment/kubernetes/index.ts";
import { readSshSettings, sshTargets } from "../../src/deployment/ssh/index.ts";

const machine = { host: "web.example", user: "deploy", key: "/keys/web", host_key: "ssh-ed25519 AAAA", folder: "/srv" };
const able = { whyMissing: async () => undefined };
const unable = { whyMissing: async () => "There is no engine. Install podman." };
const given = [processTarget, kubernetesTarget({ images: "given" }, unable), ...sshTargets(["web"])];
const built = [processTarget, kubernetesTarget({ images: "build" }, able)];
const unbuilt = [processTarget, kubernetesTarget({ images: "build" }, unable)];
const two = [processTarget, ...sshTargets(["web", "db"])];

const wish = (deployment: object) => ({ deployment }) as Pick<CompleteSpec, "deployment" | "scripts">;

test.each<[object, readonly DeploymentTarget[], string | undefined]>([
  [{}, given, undefined],
  [{ orchestrator: "Process", platforms: ["linux"] }, given, undefined],
  [{ orchestrator: "k8s" }, given, "kubernetes"],
  [{ platforms: ["kubernetes"] }, given, "kubernetes"],
  [{ platforms: ["kubernetes", "local"] }, given, undefined],
  [{ orchestrator: "kubernetes" }, built, "kubernetes"],
  [{ orchestrator: "systemd" }, given, "ssh:web"],
  [{ orchestrator: "ssh", platforms: ["db"] }, two, "ssh:db"],
])("%j goes to where it says", async (deployment, targets, at) => {
  expect(await unservedRequests(targets, wish(deployment))).toEqual([]);
  expect(findTarget(targets, wish(deployment))?.at).toBe(at);
});

test.each<[object, readonly DeploymentTarget[], string, RegExp]>([
  [{ orchestrator: "nomad" }, given, "orchestrator", /No adapter deploys with 'nomad'/],
  [{ orchestrator: "kubernetes" }, two, "orchestrator", /No adapter deploys with 'kubernetes'/],
  [{ platforms: ["k8s"] }, two, "platforms", /No adapter deploys to 'k8s'/],
  [{ orchestrator: "kubernetes" }, unbuilt, "orchestrator", /Install podman\. Or push images yourself/],
  [{ orchestrator: "ssh" }, built, "orchestrator", /No adapter deploys with 'ssh'/],
  [{ orchestrator: "ssh" }, two, "orchestrator", /There are several.*web, db/],
  [{ orchestrator: "kubernetes", platforms: ["ios"] }, given, "platforms", /No adapter deploys to 'ios'/],
])("%j is refused where nothing serves it", async (deployment, targets, key, reason) => {
  expect(await unservedRequests(targets, wish(deployment))).toEqual([
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
