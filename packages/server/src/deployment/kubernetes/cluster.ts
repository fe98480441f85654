import type {
  CoreV1Event,
  V1ConfigMap,
  V1Deployment,
  V1Ingress,
  V1Job,
  V1PersistentVolumeClaim,
  V1Pod,
  V1Secret,
  V1Service,
  V2HorizontalPodAutoscaler,
} from "@kubernetes/client-node";
import { TargetFailure } from "../supervisor/index.ts";

/** The kinds of objects that we make or read. */
interface Kinds {
  ConfigMap: V1ConfigMap;
  Deployment: V1Deployment;
  Event: CoreV1Event;
  HorizontalPodAutoscaler: V2HorizontalPodAutoscaler;
  Ingress: V1Ingress;
  Job: V1Job;
  PersistentVolumeClaim: V1PersistentVolumeClaim;
  Pod: V1Pod;
  Secret: V1Secret;
  Service: V1Service;
}

export type Kind = keyof Kinds;

/** An object of ours, with its kind and name. */
export type ClusterObject = {
  [K in Kind]: Kinds[K] & {
    readonly apiVersion: string;
    readonly kind: K;
    readonly metadata: { readonly name: string };
  };
}[Kind];

/** Where the API has each kind, inside a namespace. */
export const places: Readonly<Record<Kind, readonly [group: string, plural: string]>> = {
  ConfigMap: ["api/v1", "configmaps"],
  Deployment: ["apis/apps/v1", "deployments"],
  Event: ["api/v1", "events"],
  HorizontalPodAutoscaler: ["apis/autoscaling/v2", "horizontalpodautoscalers"],
  Ingress: ["apis/networking.k8s.io/v1", "ingresses"],
  Job: ["apis/batch/v1", "jobs"],
  PersistentVolumeClaim: ["api/v1", "persistentvolumeclaims"],
  Pod: ["api/v1", "pods"],
  Secret: ["api/v1", "secrets"],
  Service: ["api/v1", "services"],
};

export type Labels = Readonly<Record<string, string>>;

interface Listed<K extends Kind> {
  readonly items: readonly Kinds[K][];
  /** From where a watch goes on. */
  readonly resourceVersion: string;
}

/** One namespace of a cluster, as its API shows it. Everything throws a ClusterRefusal if the API does not answer as it should. */
export interface Cluster {
  /** Makes an object, or brings it to what is given here. */
  apply(object: ClusterObject): Promise<void>;
  /** Changes some fields of an object; a field that is null is removed. False if there is no such object. */
  patch(kind: Kind, name: string, change: object): Promise<boolean>;
  read<K extends Kind>(kind: K, name: string): Promise<Kinds[K] | undefined>;
  list<K extends Kind>(kind: K, labels: Labels, fields?: Labels): Promise<Listed<K>>;
  /** Removes an object with what belongs to it; one that is not there is no problem. */
  remove(kind: Kind, name: string): Promise<void>;
  /** Calls for each change after that version, until the API ends the stream or the signal does. */
  watch<K extends Kind>(
    kind: K,
    labels: Labels,
    from: string,
    onChange: (object: Kinds[K]) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** The end of what a pod wrote; of its container before the last restart, if that is asked for. */
  readLog(pod: string, options: { readonly isPrevious: boolean; readonly lines: number }): Promise<string>;
  /** What a pod writes, from that time on, until it ends: in pieces, each when the one before was taken. */
  followLog(
    pod: string,
    since: Date,
    onText: (text: string) => Promise<void> | undefined,
    signal: AbortSignal,
  ): Promise<void>;
  close(): Promise<void>;
}

/** The API refused something, or does not answer. */
export class ClusterRefusal extends TargetFailure {
  override readonly name = "ClusterRefusal";
}
