import { relative } from "node:path";
import type { PrepareRequest } from "../supervisor/index.ts";
import { type Cluster, ClusterRefusal } from "./cluster.ts";
import { type ImageBuilder, whyNoImages } from "./image-builder.ts";
import type { KubernetesSettings } from "./kubernetes-settings.ts";
import { fillIn, nameOf, own, type ReleaseNames } from "./object-names.ts";
import { type ReleaseToRender, renderSecret } from "./render-release.ts";

/** Where the cluster chooses the user of a pod, the files of an image belong to the first of most systems. */
const usualUser = 1_000;
/** Of plans that do not say how long an image may take. */
const usualImageMs = 15 * 60_000;

export interface ReleaseObjectsDeps {
  readonly cluster: Cluster;
  readonly settings: KubernetesSettings;
  /** Names this node: several may use one namespace. */
  readonly host: string;
  /** Undefined: no container engine is here. */
  readonly builder: ImageBuilder;
  /** What the operator's patterns name; without a release, the version is empty. */
  readonly describe: (deploymentId: string, releaseId?: string) => Promise<ReleaseNames>;
  /** The files of a version on this machine. */
  readonly releaseFolder: (deploymentId: string, releaseId: string) => string;
}

/** What the objects of a version are made of: its image, its secrets, its names and its address. */
export class ReleaseObjects {
  readonly #deps: ReleaseObjectsDeps;

  constructor(deps: ReleaseObjectsDeps) {
    this.#deps = deps;
  }

  async makeImage(
    { deploymentId, releaseId, image, plan }: ReleaseToRender,
    secrets: PrepareRequest["secrets"],
    signal = new AbortController().signal,
  ) {
    const { builder, settings, releaseFolder } = this.#deps;
    if (settings.images === "given") return undefined;
    const reason = await whyNoImages(settings, builder);
    if (reason !== undefined) return reason;
    const [{ command } = { command: "" }] = plan.programs;
    return builder.publish({
      ...{ folder: releaseFolder(deploymentId, releaseId), command, image, secrets, signal },
      ...{ isInsecure: settings.registry === "http", uid: settings.runAsUser ?? usualUser },
      ...{ limits: plan.limits, limitMs: plan.imageWithinMs ?? usualImageMs },
    });
  }

  secretsOf({ secrets, ...ref }: PrepareRequest) {
    return Object.keys(secrets).length === 0 ? [] : [renderSecret({ ...ref, host: this.#deps.host }, secrets)];
  }

  async toRender({ deploymentId, releaseId, plan }: Omit<PrepareRequest, "secrets">): Promise<ReleaseToRender> {
    const { host, settings, describe, releaseFolder } = this.#deps;
    const folder = releaseFolder(deploymentId, releaseId);
    const image = fillIn(settings.image, deploymentId, await describe(deploymentId, releaseId));
    const paths = plan.programs.map((program) => relative(folder, program.folder));
    return { host, deploymentId, releaseId, plan, image, settings, paths };
  }

  async address(deploymentId: string): Promise<{ readonly url: string; readonly hostName: string | undefined }> {
    const { settings, describe } = this.#deps;
    const { ingress, namespace } = settings;
    if (ingress === undefined) return { url: `http://${nameOf(deploymentId)}.${namespace}.svc`, hostName: undefined };
    const hostName = fillIn(ingress.host, deploymentId, await describe(deploymentId));
    return { url: `${ingress.tlsSecret === undefined ? "http" : "https"}://${hostName}`, hostName };
  }

  /** Documents choose their ids: one must not take the requests of another's deployment. */
  async keepHost(deploymentId: string, hostName: string): Promise<void> {
    const { items } = await this.#deps.cluster.list("Ingress", {});
    const others = items.filter(({ metadata }) => metadata?.labels?.[own.deployment] !== deploymentId);
    if (others.some(({ spec }) => spec?.rules?.some(({ host }) => host === hostName)))
      throw new ClusterRefusal(
        `The host ${hostName} belongs to something else in the cluster. Give the document another id, or add '{deployment}' to kubernetes.ingress.host.`,
      );
  }
}
