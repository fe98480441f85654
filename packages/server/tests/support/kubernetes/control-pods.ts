import type { Stored } from "./fake-cluster.ts";

/** How the pods of a program behave, for a while or for ever. */
export type Behaviour = "well" | "crashes" | "unpullable" | "unready" | "unplaceable";

/** The pods that a Deployment or Job would have, in the state that its behaviour brings about. */
export function podOf(owner: Stored, behaviour: Behaviour, number: number): Stored {
  const { template } = owner.spec as { template: { metadata: { labels: object }; spec: Record<string, unknown> } };
  const [container] = template.spec["containers"] as { name: string; image: string }[];
  const isPlaced = behaviour !== "unplaceable";
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${owner.metadata.name}-${number}`,
      namespace: owner.metadata.namespace!,
      labels: { ...template.metadata.labels } as Record<string, string>,
      ownerReferences: [{ kind: owner.kind, name: owner.metadata.name }],
    },
    spec: template.spec,
    status: {
      phase: behaviour === "well" ? "Running" : "Pending",
      conditions: isPlaced ? [] : [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }],
      containerStatuses: isPlaced ? [{ ...container, imageID: "", restartCount: 0, ...stateOf(behaviour) }] : [],
    },
  };
}

function stateOf(behaviour: Behaviour) {
  switch (behaviour) {
    case "well":
      return { ready: true, state: { running: {} } };
    case "crashes":
      return {
        ready: false,
        restartCount: 3,
        state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 10s restarting failed container" } },
        lastState: { terminated: { exitCode: 7, reason: "Error" } },
      };
    case "unpullable":
      return { ready: false, state: { waiting: { reason: "ImagePullBackOff", message: "not found" } } };
    case "unready":
    case "unplaceable":
      return { ready: false, state: { running: {} } };
  }
}
