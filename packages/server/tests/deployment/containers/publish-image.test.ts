import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Containers } from "../../../src/deployment/index.ts";
import { planRelease } from "../../../src/deployment/plan-release.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { testFolder } from "../../support/database/run-starter.ts";
import { sandboxFor } from "../../support/sandboxes.ts";
import { documentWith } from "../../support/verification/test-project.ts";

/** Says of itself what docker does, and never ends a build. */
const engine = `#!/bin/sh
case "$1" in
  info) echo '{"ServerVersion": "29.0.0", "DockerRootDir": "/"}' ;;
  build) exec sleep 600 ;;
  *) exit 1 ;;
esac
`;

/** A version of a program for Node, and what builds its image with that engine. */
async function version() {
  const place = await testFolder();
  const [program, folder] = [join(place, "engine"), join(place, "files")];
  await writeFile(program, engine);
  await chmod(program, 0o755);
  await mkdir(folder);
  await writeFile(join(folder, "server.cjs"), "");
  const { sandbox, dataFolder } = sandboxFor("plain");
  await mkdir(dataFolder);
  const settings = { engine: [program] as const, baseImages: { node: "node:24" }, allowsOwn: async () => false };
  const containers = new Containers({ sandbox, dataFolder, settings });
  return { containers, folder, program };
}

const { signal } = new AbortController();

test("an image that a cluster fetches has no more time than its deployment", async () => {
  const { containers, folder, program } = await version();
  const failure = await containers.publish({
    ...{ folder, command: "node server.cjs", image: "registry.example/shop:1", isInsecure: false, uid: 1_000 },
    ...{ limits: ampleLimits, limitMs: 1, secrets: {}, signal },
  });
  expect(failure).toBe(`The image cannot be built: '${program}' did not end within 0 seconds.`);
});

test("an image that is gone and built anew has no more time either", async () => {
  const { containers, folder, program } = await version();
  const how = { document: documentWith(), folder, dataFolder: folder, replicas: 1, services: [], env: {} };
  const { programs, ...planned } = planRelease({ ...how, start: "node server.cjs", maxReadyMs: 1, maxDiskBytes: 1 });
  const plan = { ...planned, programs: programs.map((one) => ({ ...one, container: gone(program) })) };
  const restored = await containers.restore({
    ...{ deploymentId: "dep_1", releaseId: "rel_1", folder, plan, secrets: {}, signal },
  });
  expect(restored).toEqual({
    failure: `The image cannot be built: '${program}' did not end within 0 seconds.`,
  });
});

const gone = (program: string) => ({ engine: [program] as const, image: "sha256:gone", startsItself: false });

test("a plan says how long its image may take: as long as the document gives it", () => {
  const how = {
    document: documentWith(),
    folder: "/release",
    dataFolder: "/data",
    replicas: 1,
    services: [],
    env: {},
    maxDiskBytes: 1,
  };
  expect(planRelease({ ...how, start: "node server.js", maxReadyMs: 1_234 })).toMatchObject({ imageWithinMs: 1_234 });
});
