import type { CompleteSpec } from "@slipway/spec";
import type { ProjectSignals } from "../engine/events/index.ts";
import type { FindSecrets } from "../engine/execution/index.ts";
import { ProjectLogs } from "../engine/logs/index.ts";
import { Integrations, readJiraSettings, unmetIntegrations } from "../features/integrations/index.ts";
import { type WebhookOptions, Webhooks } from "../features/webhooks/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import type { Metrics, OpenWaits } from "../platform/http/index.ts";
import type { Log } from "../platform/log/index.ts";
import { type Dialler, webhooksDialler } from "../platform/network/index.ts";
import type { Keyring } from "../platform/secrets/index.ts";
import type { Config } from "./config.ts";

interface Deps {
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Keyring;
  readonly metrics: Metrics;
  readonly openWaits: OpenWaits;
  readonly signals: ProjectSignals;
  readonly version: string;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly findSecrets: FindSecrets;
  /** Fetches from addresses in the operator's own settings. */
  readonly dialOperators: Dialler["fetch"];
  /** Tells the other nodes that a webhook changed. */
  readonly notifyNodes: (webhookId: string) => void;
  readonly options: WebhookOptions;
}

/** Composes the readers of the event log that tell others what happens to projects: webhooks and integrations. */
export function createNotifications(deps: Deps): Notifications {
  const { config, db, clock, log, signals } = deps;
  const rules = { allowsLocal: config.allowLocalWebhooks, networks: config.webhookNetworks };
  const webhooks: Webhooks = new Webhooks({
    db,
    clock,
    log: log.child({ service: "webhooks" }),
    keyring: deps.keyring,
    metrics: deps.metrics,
    openWaits: deps.openWaits,
    rules,
    version: deps.version,
    notifyNodes: (id) => {
      webhooks.noteChanged(id);
      deps.notifyNodes(id);
    },
    options: deps.options,
  });
  const jira = readJiraSettings(config.jira.declared, config.jira.file);
  const dialler = webhooksDialler(rules);
  const logs = new ProjectLogs({ db, log, onWritten: (projectId) => signals.signal(projectId) });
  const integrations = new Integrations({
    db,
    clock,
    log: log.child({ service: "integrations" }),
    logs,
    findDocument: deps.findDocument,
    projectUrl: (projectId) => `${config.publicUrl}/projects/${projectId}`,
    findSecrets: deps.findSecrets,
    dial: dialler.fetch,
    dialOperators: deps.dialOperators,
    jira,
    environment: process.env,
  });
  const unmet = (document: CompleteSpec) => unmetIntegrations(jira, document);
  return new Notifications({ webhooks, integrations, dialler, logs, unmetIntegrations: unmet });
}

interface NotificationsDeps {
  readonly webhooks: Webhooks;
  readonly integrations: Integrations;
  readonly dialler: Dialler;
  readonly logs: ProjectLogs;
  /** What of a document's integrations this service cannot do. */
  readonly unmetIntegrations: (document: CompleteSpec) => ReturnType<typeof unmetIntegrations>;
}

/** Webhooks and integrations, from their start to their stop. */
export class Notifications {
  readonly webhooks: Webhooks;
  readonly unmetIntegrations: NotificationsDeps["unmetIntegrations"];
  readonly #deps: NotificationsDeps;

  constructor(deps: NotificationsDeps) {
    this.webhooks = deps.webhooks;
    this.unmetIntegrations = deps.unmetIntegrations;
    this.#deps = deps;
  }

  /** Something happened to a project: there is an event to read. */
  noteEvent(): void {
    this.webhooks.noteEvent();
    this.#deps.integrations.wake();
  }

  /** The connection to the other nodes broke: any event may have been missed. */
  noteMissed(): void {
    this.webhooks.noteMissed();
    this.#deps.integrations.wake();
  }

  async start({ isAlone }: { isAlone: boolean }): Promise<void> {
    await this.webhooks.start({ isAlone });
    this.#deps.integrations.start();
  }

  /** Gives back the deliveries in flight. */
  async stop(): Promise<void> {
    await Promise.all([this.webhooks.stop(), this.#deps.integrations.stop()]);
    await this.#deps.logs.flush();
  }

  async close(): Promise<void> {
    await this.#deps.dialler.close();
    await this.webhooks.close();
  }
}
