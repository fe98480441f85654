import manifest from "../../../package.json" with { type: "json" };
import type { Log } from "../../platform/log/index.ts";
import type { SupervisorEvent } from "../supervisor/index.ts";
import type { SupervisorLink } from "../supervisor-link.ts";
import { type Cluster, ClusterRefusal } from "./cluster.ts";
import { type KubernetesDeps, KubernetesSupervision } from "./kubernetes-supervision.ts";
import { ReleaseWatch } from "./watch-releases.ts";

interface LinkDeps extends Omit<KubernetesDeps, "cluster"> {
  readonly log: Log;
  readonly onEvent: (event: SupervisorEvent) => void;
}

/** How the service reaches the operator's cluster. Its library is loaded at the first use. */
export function kubernetesLink(deps: LinkDeps): SupervisorLink {
  let opening: Promise<{ supervision: KubernetesSupervision; watch: ReleaseWatch }> | undefined;
  const open = async () => {
    const cluster = await loadCluster(deps);
    const supervision = new KubernetesSupervision({ ...deps, cluster });
    const watch = new ReleaseWatch({ ...deps, cluster, supervision });
    watch.start();
    return { supervision, watch };
  };
  const get = async () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return (await opening).supervision;
  };
  const leave = async () => {
    const opened = await opening?.catch(() => undefined);
    await opened?.watch.stop();
    await opened?.supervision.close();
  };
  return { get, find: get, leave, close: leave };
}

/** Large, and few need it: the operator installs it. */
async function loadCluster({ settings }: LinkDeps): Promise<Cluster> {
  const loaded = await import("./open-cluster.ts").catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const version = manifest.peerDependencies["@kubernetes/client-node"];
    throw new ClusterRefusal(
      `The library for Kubernetes is not installed. Install it: npm install @kubernetes/client-node@${version}`,
      {
        cause: error,
      },
    );
  });
  try {
    return loaded.openCluster(settings);
  } catch (error) {
    if (error instanceof ClusterRefusal) throw error;
    throw new ClusterRefusal(`The kubeconfig cannot be used: ${(error as Error).message}`, { cause: error });
  }
}
