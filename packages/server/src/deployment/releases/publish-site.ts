import { slugOf } from "@slipway/spec";
import { writeProjectFile } from "../../platform/project-files/index.ts";
import { siteServer } from "./own-programs.ts";
import { packArchive } from "./pack-archive.ts";
import { freePlace, isFile } from "./read-result.ts";
import type { Publish } from "./release.ts";

/** Where builds put pages; the first with an `index.html` is the site. Source folders come last. */
const roots = ["dist", "build", "out", "_site", "site", "public", "www", "web", "docs", "."];

/** Pages and their files, served as they are: by a small server that goes with the release. */
export const publishSite: Publish = async (_deps, release) => {
  const { folder, document, signal } = release;
  const root = await firstSite(release);
  if (root === undefined) return undefined;
  const packed = await packArchive(release, { root, name: `${slugOf(document.id)}.tar.gz` });
  if ("failure" in packed) return packed;
  // A copy: what is live must not depend on the version of the service that once deployed it.
  const program = await freePlace(release, ".slipway/site-server.mjs");
  await writeProjectFile(folder, program, siteServer(), { signal });
  return { kind: "site", usage: "", files: [{ path: packed.path, type: "bundle" }], start: `node ${program} ${root}` };
};

async function firstSite(where: Parameters<typeof isFile>[0]): Promise<string | undefined> {
  for (const root of roots) if (await isFile(where, `${root}/index.html`)) return root;
  return undefined;
}
