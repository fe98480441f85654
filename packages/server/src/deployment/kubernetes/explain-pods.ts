import type { V1Pod } from "@kubernetes/client-node";
import { shortened } from "../../platform/one-line.ts";

/** What is wrong with the pods of a program. */
export interface Trouble {
  readonly reason: string;
  /** Waiting does not mend it. */
  readonly isFinal: boolean;
  /** The pod to look at. */
  readonly pod: string;
  /** Its program ended: the log before the restart tells why. */
  readonly hasEnded: boolean;
}

/** The cluster tries these again for ever, with the same end. */
const hopeless = [
  ...["ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"],
  ...["CreateContainerConfigError", "CreateContainerError", "RunContainerError"],
];

/** Why a program does not get well, as the state of its pods shows; undefined if nothing is wrong, or not yet. */
export function explainPods(label: string, pods: readonly V1Pod[]): Trouble | undefined {
  const troubles = pods
    .filter((pod) => pod.metadata?.deletionTimestamp === undefined)
    .flatMap((pod) => troubleOf(label, pod) ?? []);
  return troubles.find(({ isFinal }) => isFinal) ?? troubles[0];
}

function troubleOf(label: string, { metadata, status }: V1Pod): Trouble | undefined {
  const pod = metadata?.name ?? "";
  const container = status?.containerStatuses?.[0];
  const waiting = container?.state?.waiting;
  if (waiting?.reason !== undefined && hopeless.includes(waiting.reason)) {
    const what = waiting.reason.includes("Image")
      ? `Its image ${container!.image} cannot be had`
      : "It cannot be started";
    return { reason: `${what} (${waiting.reason})${said(waiting.message)}`, isFinal: true, pod, hasEnded: false };
  }
  const ended = container?.state?.terminated ?? container?.lastState?.terminated;
  if (ended !== undefined && container?.ready !== true) {
    const how =
      ended.reason === "OOMKilled"
        ? "needed more memory than it may: raise resources.memory_gb"
        : ended.signal === undefined
          ? `ended with exit code ${ended.exitCode}`
          : `was killed by signal ${ended.signal}`;
    return { reason: `${label} ${how}.`, isFinal: waiting?.reason === "CrashLoopBackOff", pod, hasEnded: true };
  }
  const unplaced = status?.conditions?.find(({ type, status: is }) => type === "PodScheduled" && is === "False");
  if (unplaced !== undefined)
    return { reason: `No node takes it${said(unplaced.message)}`, isFinal: false, pod, hasEnded: false };
  return undefined;
}

function said(message: string | undefined): string {
  return message === undefined || message === "" ? "." : `: ${shortened(message, 300)}`;
}
