import type { ResourceLimits } from "../../platform/sandbox/index.ts";
import type { ContainerPlan } from "../containers/container-plan.ts";

/** A program of a release, and how to tell that it is well. */
export interface ProgramPlan {
  readonly name: string;
  /** What people call it in messages: `scripts.start`. */
  readonly label: string;
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The variable by which other programs of the release find its address. */
  readonly addressVariable?: string;
  readonly health: HealthCheck;
  /** It runs in a container; left out: in the sandbox, in its folder. */
  readonly container?: ContainerPlan;
  /** It runs on another machine; left out: it is started here. */
  readonly tunnel?: TunnelPlan;
}

/** Leads to a program on another machine, over ssh. */
export interface TunnelPlan {
  /** Of the ssh client, before the destination. */
  readonly options: readonly string[];
  readonly destination: string;
  /** Where the copies of the program listen there, on its loopback address. */
  readonly ports: readonly number[];
}

/** The request that a healthy program answers; without a status, with anything but a server error. */
export interface HealthCheck {
  readonly path: string;
  readonly status?: number;
  readonly readyWithinMs: number;
  /** How many bad answers in a row mean that it is not well. */
  readonly maxErrors: number;
  readonly everyMs: number;
  readonly withinMs: number;
}

/** How a version of an application runs. It holds no secrets, so it can be stored. */
export interface ReleasePlan {
  /** Each after those it needs. The last one gets the requests, and is the one of which there may be several. */
  readonly programs: readonly ProgramPlan[];
  readonly replicas: number;
  /** The version's own folder: what is below it may have been changed by its scripts and programs. */
  readonly folder: string;
  readonly limits: ResourceLimits;
  /** How long building and sending its image may take; plans that were kept before have none. */
  readonly imageWithinMs?: number;
  /** Outlives the version; programs find it in `SLIPWAY_DATA_DIR`. */
  readonly dataFolder: string;
}
