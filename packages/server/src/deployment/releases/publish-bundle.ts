import { slugOf } from "@slipway/spec";
import { writeProjectFile } from "../../platform/project-files/index.ts";
import { packArchive } from "./pack-archive.ts";
import { isFile, namesIn } from "./read-result.ts";
import type { PublishDeps, PublishedRelease, PublishFailure, ReleaseToPublish } from "./release.ts";
import { shellWord } from "./shell-word.ts";

const howToFile = "HOW-TO-APPLY.md";

/** An archive of all files. Where they describe infrastructure, it says how each of them is applied. */
export async function publishBundle(
  _deps: PublishDeps,
  release: ReleaseToPublish,
): Promise<PublishedRelease | PublishFailure> {
  const { folder, current, document, signal } = release;
  const name = slugOf(document.id);
  const ways = await waysToApply(release);
  const hasWays = ways.length > 0;
  if (hasWays && !(await isFile(release, howToFile)))
    await writeProjectFile(folder, howToFile, howToApply(document.name, ways), { signal });
  const packed = await packArchive(release, { name: `${name}.tar.gz` });
  if ("failure" in packed) return packed;
  const { path } = packed;
  const unpack = `mkdir -p ${name} && tar -xzf ${shellWord(`${current}/${path}`)} -C ${name}`;
  return {
    kind: "bundle",
    usage: hasWays ? `${unpack} && cat ${name}/${howToFile}` : unpack,
    files: [{ path, type: "bundle" }],
  };
}

/** The command that applies each description of infrastructure, in the bundle's folder. */
async function waysToApply(release: ReleaseToPublish): Promise<readonly string[]> {
  const ways: string[] = [];
  const compose = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];
  for (const file of await namesIn(release, ".", "file"))
    if (compose.includes(file)) ways.push(`docker compose -f ${file} up -d`);
  for (const folder of ["kubernetes", "k8s", "manifests"])
    for (const file of await namesIn(release, folder, "file"))
      if (isPlain(file) && /\.ya?ml$/.test(file)) ways.push(`kubectl apply -f ${folder}/${file}`);
  for (const folder of [".", "terraform", "infra"]) {
    const files = await namesIn(release, folder, "file");
    if (files.some((file) => file.endsWith(".tf")))
      ways.push(`terraform -chdir=${folder} init && terraform -chdir=${folder} apply`);
  }
  if (await isFile(release, "Chart.yaml")) ways.push("helm install --generate-name .");
  return ways;
}

/** A name that needs no quotes in a shell or in Markdown. */
function isPlain(name: string): boolean {
  return /^\w[\w.-]{0,99}$/.test(name);
}

function howToApply(name: string, ways: readonly string[]): string {
  const title = name.replace(/[\p{Cc}\p{Cf}`<>[\]]/gu, " ").trim();
  return [
    `# ${title}`,
    "",
    "These files were checked before they were released; nothing has been applied. Run what fits:",
    "",
    ...ways.map((way) => `    ${way}`),
    "",
  ].join("\n");
}
