import { type LeaseSignals, leasesChannel } from "../agents/index.ts";
import { type ProjectSignals, projectsChannel } from "../engine/events/index.ts";
import { engineQueue } from "../engine/jobs/index.ts";
import type { CommitResult } from "../engine/lifecycle/index.ts";
import { type Authenticator, revocationsChannel } from "../features/auth/index.ts";
import { webhooksChannel } from "../features/webhooks/index.ts";
import type { Engine } from "./engine.ts";
import type { Notifications } from "./notifications.ts";

/** How nodes reach each other: over the database that they share. A node hears its own messages, too. */
export interface NodeChannels {
  wake(channel: string, payload: string): void;
  subscribe(channel: string, onPayload: (payload: string) => void, onMissed: () => void): void;
}

/** A queue got jobs; the payload is its name. */
const queuesChannel = "slipway_queues";
/** Jobs were taken away from whoever works on them. */
const droppedChannel = "slipway_dropped";
/** Agents were registered, deleted, or are to be restarted. */
const agentsChannel = "slipway_agents";

/** What people want of a deployment has changed; the payload is its id. */
const deploymentsChannel = "slipway_deployments";

interface ProjectListeners {
  readonly channels: NodeChannels;
  readonly signals: ProjectSignals;
  readonly notifications: Notifications;
}

type ProjectAnnouncements = ReturnType<typeof projectAnnouncements>;

/** Announces what happens to projects: this node learns of it at once, the others over their channels. */
export function projectAnnouncements({ channels, signals, notifications }: ProjectListeners) {
  const changed = (projectId: string) => {
    signals.signal(projectId);
    notifications.noteEvent();
    channels.wake(projectsChannel, projectId);
  };
  return {
    changed,
    committed: ({ changed: projects, queues, dropped }: CommitResult) => {
      for (const projectId of projects) changed(projectId);
      for (const queue of queues) channels.wake(queuesChannel, queue);
      if (dropped.size > 0) channels.wake(droppedChannel, "");
    },
  };
}

interface RequestListeners {
  readonly channels: NodeChannels;
  readonly projects: ProjectAnnouncements;
  readonly engine: Engine;
  readonly authenticator: Authenticator;
}

export type RequestAnnouncements = ReturnType<typeof requestAnnouncements>;

/** Announces what requests change: this node acts on it at once, the others when they hear of it. */
export function requestAnnouncements({ channels, projects, engine, authenticator }: RequestListeners) {
  return {
    projectChanged: projects.changed,
    projectCreated: (projectId: string) => {
      projects.changed(projectId);
      engine.wake();
      channels.wake(queuesChannel, engineQueue);
    },
    runCommanded: (result: CommitResult) => {
      projects.committed(result);
      for (const queue of result.queues) engine.wake(queue);
      // Also where no queue got anything: paused jobs may be free now.
      engine.wake();
      if (result.dropped.size > 0) engine.checkOwn();
    },
    jobsTakenBack: () => {
      engine.checkOwn();
      channels.wake(droppedChannel, "");
    },
    agentsChanged: () => {
      engine.refreshAgents();
      channels.wake(agentsChannel, "");
    },
    deploymentWanted: (deploymentId: string): Promise<void> => {
      channels.wake(deploymentsChannel, deploymentId);
      return engine.settleDeployment(deploymentId);
    },
    accessRevoked: () => {
      authenticator.forget();
      channels.wake(revocationsChannel, "");
    },
  };
}

interface Subscribers extends ProjectListeners {
  readonly engine: Engine;
  readonly leases: LeaseSignals;
  readonly authenticator: Authenticator;
}

/** Hears what the other nodes announce; after a break in the connection, anything may have been missed. */
export function subscribe({ channels, signals, notifications, engine, leases, authenticator }: Subscribers): void {
  const { webhooks } = notifications;
  channels.subscribe(
    projectsChannel,
    (projectId) => {
      signals.signal(projectId);
      notifications.noteEvent();
    },
    () => {
      signals.signalAll();
      notifications.noteMissed();
    },
  );
  channels.subscribe(
    webhooksChannel,
    (id) => webhooks.noteChanged(id),
    () => webhooks.noteMissed(),
  );
  channels.subscribe(
    queuesChannel,
    (queue) => engine.wake(queue),
    () => engine.wake(),
  );
  channels.subscribe(
    leasesChannel,
    (id) => leases.signal(id),
    () => leases.signalAll(),
  );
  channels.subscribe(
    deploymentsChannel,
    (id) => void engine.settleDeployment(id),
    () => void engine.settleDeployment(),
  );
  const onAny = (channel: string, act: () => void) => channels.subscribe(channel, act, act);
  onAny(droppedChannel, () => engine.checkOwn());
  onAny(agentsChannel, () => engine.refreshAgents());
  onAny(revocationsChannel, () => authenticator.forget());
}
