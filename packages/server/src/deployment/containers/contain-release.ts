import { relative } from "node:path";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { AdaptedRelease, ReleaseToAdapt } from "../find-target.ts";
import type { ProgramPlan } from "../supervisor/release-plan.ts";
import { buildImage } from "./build-image.ts";
import { type Containerfile, chooseContainerfile, type FileSettings, whyNoContext } from "./choose-containerfile.ts";
import { type ContainerPlan, filesInside } from "./container-plan.ts";
import type { ContainerEngine } from "./find-engine.ts";
import { imageTag, labels } from "./own-labels.ts";
import { renderCompose } from "./render-compose.ts";

interface Deps {
  readonly engine: ContainerEngine;
  readonly installation: string;
  readonly settings: FileSettings;
  readonly sandbox: Pick<Sandbox, "holdAccount" | "temporary">;
}

interface BuiltImage {
  readonly context: string;
  readonly file: Containerfile;
  readonly image: string;
}

/** Builds the images of a release, and plans its programs as containers of them. */
export async function containRelease(deps: Deps, release: ReleaseToAdapt): Promise<AdaptedRelease> {
  const { plan, folder, signal, onOutput } = release;
  const endsAtMs = performance.now() + release.limitMs;
  const images: BuiltImage[] = [];
  const programs: (ProgramPlan & { readonly container: ContainerPlan })[] = [];
  const services: Parameters<typeof renderCompose>[1][number][] = [];
  for (const program of plan.programs) {
    const found = await findFile(deps.settings, { folder, program, signal });
    if ("failure" in found) return found;
    const { file, context } = found;
    if (file.isOwnLeftOut)
      onOutput("The project's own Dockerfile is left out: the setting container_project_files says so.\n");
    let built = images.find((one) => one.context === context && one.file.text === file.text);
    if (built === undefined) {
      onOutput(`${file.isOwn ? "The project's own file" : "A file of ours"} for an image:\n${file.text}\n`);
      const image = await build(
        deps,
        { ...release, limitMs: Math.max(1, Math.ceil(endsAtMs - performance.now())) },
        { file, context, index: images.length },
      );
      if ("failure" in image) return image;
      built = { context, file, image: image.id };
      images.push(built);
    }
    const path = relative(context, program.folder);
    const container: ContainerPlan = {
      ...{ engine: deps.engine.command, image: built.image, startsItself: file.startsItself },
      ...(path !== "" && { workingFolder: `${filesInside}/${path}` }),
    };
    programs.push({ ...program, container });
    services.push({ program: programs.at(-1)!, context: relative(folder, context) || ".", containerfile: file.text });
  }
  const files = images.map(({ context, file }) => ({
    path: [relative(folder, context), "Containerfile"].filter((part) => part !== "").join("/"),
    text: file.text,
  }));
  const compose = { path: "compose.yaml", text: renderCompose(plan, services, Object.keys(release.secrets)) };
  return { plan: { ...plan, programs }, rendered: [...files, compose] };
}

/** A service's folder may bring a file of its own; else an image of all files serves every service. */
async function findFile(
  settings: FileSettings,
  { folder, program, signal }: { folder: string; program: ProgramPlan; signal: AbortSignal },
): Promise<{ readonly file: Containerfile; readonly context: string } | { readonly failure: string }> {
  const { command } = program;
  const path = relative(folder, program.folder) || ".";
  // A build may have put a link in its place, which leads to files of others.
  const reason = await whyNoContext(folder, path, signal);
  if (reason !== undefined) return { failure: `${program.label}: ${reason}` };
  const file = await chooseContainerfile(settings, { folder: program.folder, command, signal });
  if ("failure" in file) return { failure: `${program.label}: ${file.failure}` };
  if (file.isOwn || program.folder === folder) return { file, context: program.folder };
  const ofAll = await chooseContainerfile({ ...settings, allowsOwn: false }, { folder, command, signal });
  return "failure" in ofAll ? { file, context: program.folder } : { file: ofAll, context: folder };
}

async function build(
  { engine, installation, sandbox }: Deps,
  { deploymentId, releaseId, folder, plan, limitMs, signal, onOutput, secrets }: ReleaseToAdapt,
  { file, context, index }: { file: Containerfile; context: string; index: number },
) {
  const reason = await whyNoContext(folder, relative(folder, context) || ".", signal);
  if (reason !== undefined) return { failure: `The image cannot be built: ${reason}` };
  const account = await sandbox.holdAccount({ name: deploymentId, folders: [plan.dataFolder] });
  try {
    return await buildImage(
      { engine, temporary: sandbox.temporary },
      {
        ...{ folder: context, containerfile: file.text, tag: imageTag(deploymentId, releaseId, index), account },
        ...{ limits: plan.limits, limitMs, signal, onOutput, masker: new Masker(Object.values(secrets)) },
        labels: {
          [labels.installation]: installation,
          [labels.deployment]: deploymentId,
          [labels.release]: releaseId,
        },
      },
    );
  } finally {
    account.release();
  }
}
