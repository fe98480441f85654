import { isOfAnother, type Sandbox } from "../../platform/sandbox/index.ts";
import type { AdaptedRelease, ReleaseToAdapt } from "../find-target.ts";
import type { FileSettings } from "./choose-containerfile.ts";
import { containRelease } from "./contain-release.ts";
import type { ContainerPlan } from "./container-plan.ts";
import { type CommandsInContainer, ContainerStarter } from "./container-starter.ts";
import { type ContainerEngine, findEngine, type NoEngine } from "./find-engine.ts";
import { hasImage, removeImages } from "./kept-images.ts";
import { knownEngines, noteEngine, sweepLeftContainers } from "./known-engines.ts";
import { installationOf, labels } from "./own-labels.ts";
import { type ImageToPublish, publishImage } from "./publish-image.ts";
import { endLeftBuilds } from "./remove-containers.ts";
import type { EngineCommand } from "./run-engine.ts";

/** What the operator says about containers. */
export interface ContainerSettings extends Pick<FileSettings, "baseImages"> {
  /** Whether files that projects bring may be built: their lines run with the engine's rights. */
  readonly allowsOwn: () => Promise<boolean>;
  /** The program that runs containers; undefined: podman or docker, whichever works. */
  readonly engine: EngineCommand | undefined;
}

interface Deps {
  readonly settings: ContainerSettings;
  readonly dataFolder: string;
  readonly sandbox: Pick<Sandbox, "holdAccount" | "temporary">;
}

/** Of plans that do not say how long an image may take. */
const usualImageMs = 15 * 60_000;

/** The service's side of containers: makes the images of versions, and removes them with these. */
export class Containers {
  readonly #deps: Deps;
  readonly #starter: ContainerStarter;
  #engine: Promise<ContainerEngine | NoEngine> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#starter = new ContainerStarter({ ...deps, part: "scripts" });
  }

  /** Why no container can be run here; undefined if one can. */
  async whyMissing(): Promise<string | undefined> {
    const found = await this.#find();
    return "missing" in found ? found.missing : undefined;
  }

  /** Builds the images of a version, and plans its programs as containers of them. */
  async contain(release: ReleaseToAdapt): Promise<AdaptedRelease> {
    const { dataFolder, sandbox } = this.#deps;
    const engine = await this.#find();
    if ("missing" in engine) return { failure: engine.missing };
    await noteEngine(dataFolder, engine.command);
    await this.endLeft(release.releaseId);
    const installation = installationOf(dataFolder);
    return containRelease({ engine, installation, settings: await this.#fileSettings(), sandbox }, release);
  }

  /** Ends the builds and scripts that killed services have left; of a version that is taken over, all of them. */
  async endLeft(release?: string): Promise<void> {
    const { dataFolder } = this.#deps;
    const left = release === undefined ? { isNeededBy: isOfAnother } : { release };
    await endLeftBuilds({ installation: installationOf(dataFolder), ...left });
    await sweepLeftContainers(dataFolder, "scripts", left);
  }

  /** Builds the image of a version and sends it to its registry; says why it could not. */
  async publish(image: ImageToPublish): Promise<string | undefined> {
    const engine = await this.#find();
    if ("missing" in engine) return engine.missing;
    const { dataFolder, sandbox } = this.#deps;
    const own = { [labels.installation]: installationOf(dataFolder) };
    const { temporary } = sandbox;
    return publishImage({ engine, settings: await this.#fileSettings(), labels: own, temporary }, image);
  }

  /** The plan of a version that is started again: an image that is no longer there is built anew from its files. */
  async restore(
    release: Pick<ReleaseToAdapt, "deploymentId" | "releaseId" | "folder" | "plan" | "secrets" | "signal">,
  ): Promise<AdaptedRelease> {
    const { plan } = release;
    const images = plan.programs.flatMap(({ container }) => (container === undefined ? [] : [container]));
    const missing = await Promise.all(images.map(async ({ engine, image }) => !(await hasImage(engine, image))));
    if (!missing.includes(true)) return { plan, rendered: [] };
    return this.contain({ ...release, limitMs: plan.imageWithinMs ?? usualImageMs, onOutput: () => undefined });
  }

  /** What runs a version's scripts in its image: there are the programs that it needs. */
  scriptsIn({ engine, image }: ContainerPlan, releaseId: string): CommandsInContainer {
    return this.#starter.of({ engine, image, startsItself: false }, releaseId);
  }

  /** Removes the images of a deployment's versions, but those of these. */
  async keepOnly(deploymentId: string, releaseIds: ReadonlySet<string>): Promise<void> {
    for (const command of await knownEngines(this.#deps.dataFolder))
      await removeImages({ command }, deploymentId, releaseIds);
  }

  /** Removes all images of a deployment. */
  remove(deploymentId: string): Promise<void> {
    return this.keepOnly(deploymentId, new Set());
  }

  async #fileSettings(): Promise<FileSettings> {
    const { baseImages, allowsOwn } = this.#deps.settings;
    return { baseImages, allowsOwn: await allowsOwn() };
  }

  #find(): Promise<ContainerEngine | NoEngine> {
    this.#engine ??= findEngine(this.#deps.settings.engine).then((found) => {
      // Somebody may install one, or start its daemon.
      if ("missing" in found) this.#engine = undefined;
      return found;
    });
    return this.#engine;
  }
}
