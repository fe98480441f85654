import type { Masked } from "../../platform/secrets/index.ts";
import type { ReleaseTraffic } from "../proxy/index.ts";
import type { ReleasePlan } from "./release-plan.ts";
import type { ProgramStatus } from "./running-release.ts";

/** What keeps deployed software alive: on this machine, in this process or one that outlives it, or elsewhere. */
export interface Supervision {
  list(): Promise<readonly DeploymentStatus[]>;
  /** Starts a version beside the others and waits until it is well. One that is well already is left as it is. */
  prepare(request: PrepareRequest, signal?: AbortSignal): Promise<PrepareResult>;
  /** Sends the requests at the deployment's address to these versions, from the next request on. */
  route(request: RouteRequest): Promise<RoutedAddress>;
  /** Brings the copies of a version to this number. */
  scale(request: ReleaseRef & { readonly replicas: number }, signal?: AbortSignal): Promise<PrepareResult>;
  /** Replaces the copies of a version by new ones, one after the other. */
  restart(request: ReleaseRef, signal?: AbortSignal): Promise<PrepareResult>;
  /** Ends a version, when it has been idle for so long: its requests are answered first. */
  retire(request: ReleaseRef & { readonly afterMs: number }): Promise<void>;
  /** Ends all versions of a deployment, and frees its address. */
  stop(deploymentId: string): Promise<void>;
  /** Ends everything on this machine. */
  close(): Promise<void>;
  /** Removes what outlives versions and lies elsewhere; left out: everything is in the deployment's folder. */
  forget?(deploymentId: string): Promise<void>;
  /** Runs a script of a version once where its programs run; says why it failed. Left out: it runs on this machine. */
  runScript?(request: ScriptRequest, signal: AbortSignal): Promise<string | undefined>;
  /** What a version is made of, for people to read; it holds no secrets. */
  render?(request: Omit<PrepareRequest, "secrets">): Promise<RenderedRelease>;
}

/** Something where versions run refused or does not answer: a deployment fails with its message. */
export class TargetFailure extends Error {
  override readonly name: string = "TargetFailure";
}

/** The supervisor ended, or no longer answers: whoever asks again gets the next one. */
export class SupervisorGone extends Error {
  override readonly name = "SupervisorGone";
}

/** Where a deployment is reached: at a port of this machine, or elsewhere. */
export interface RoutedAddress {
  readonly port: number | null;
  readonly url?: string;
}

interface RenderedRelease {
  readonly path: string;
  readonly text: string;
}

export interface ScriptRequest extends PrepareRequest {
  readonly name: string;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
  readonly onOutput: (text: string) => void;
}

export interface ReleaseRef {
  readonly deploymentId: string;
  readonly releaseId: string;
}

export interface PrepareRequest extends ReleaseRef {
  readonly plan: ReleasePlan;
  /** Held in memory only. */
  readonly secrets: Readonly<Record<string, string>>;
}

export type PrepareResult =
  | { readonly is: "ready"; readonly origins: readonly string[] }
  | { readonly is: "failed"; readonly reason: Masked };

export interface RouteRequest {
  readonly deploymentId: string;
  readonly address: { readonly host: string; readonly port: number };
  readonly shares: readonly RouteShare[];
  /** The version that goes back to nothing when it breaks these limits. */
  readonly canary?: CanaryCriteria;
}

/** A version's share of the requests, among the weights of all. */
export interface RouteShare {
  readonly releaseId: string;
  readonly weight: number;
}

interface CanaryCriteria {
  readonly releaseId: string;
  readonly maxErrorRate: number;
  readonly maxP99Ms?: number;
  readonly minRequests: number;
}

export interface DeploymentStatus {
  readonly deploymentId: string;
  /** Null while it has no address at this machine. */
  readonly port: number | null;
  /** Where it is reached elsewhere. */
  readonly url?: string;
  readonly shares: readonly RouteShare[];
  readonly releases: readonly {
    readonly releaseId: string;
    readonly isReady: boolean;
    readonly programs: readonly ProgramStatus[];
  }[];
  readonly traffic: readonly ReleaseTraffic[];
}

/** What happens to deployed software while nobody asked for it. */
export type SupervisorEvent =
  | (ReleaseRef & { readonly is: "output"; readonly program: string; readonly text: Masked })
  | (ReleaseRef & { readonly is: "unhealthy"; readonly program: string; readonly reason: Masked })
  | (ReleaseRef & { readonly is: "recovered"; readonly program: string })
  | (ReleaseRef & { readonly is: "canary_aborted"; readonly reason: Masked });
