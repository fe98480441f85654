import type { CompleteSpec } from "@slipway/spec";
import type { ProjectSignals } from "../engine/events/index.ts";
import { ProjectLogs } from "../engine/logs/index.ts";
import { Integrations, readJiraSettings, unmetIntegrations } from "../features/integrations/index.ts";
import { type WebhookOptions, Webhooks } from "../features/webhooks/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import type { Metrics, OpenWaits } from "../platform/http/index.ts";
import type { Log } from "../platform/log/index.ts";
import { type Dialler, webhooksDialler } from "../platform/network/index.ts";
import { type Keyring, lookUpSecrets, type SecretSources } from "../platform/secrets/index.ts";
import type { Config } from "./config.ts";

interface Deps {
  readonly config: Pick<Config, "allowLocalWebhooks" | "webhookNetworks" | "jira" | "publicUrl">;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Keyring;
  readonly metrics: Metrics;
  readonly openWaits: OpenWaits;
  readonly signals: ProjectSignals;
  readonly version: string;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly secretSources: () => Promise<SecretSources>;
  /** Goes to where the operator's own settings lead. */
  readonly dialOperators: Dialler["fetch"];
  /** A webhook was changed: for the other nodes. */
  readonly notifyNodes: (webhookId: string) => void;
  readonly options: WebhookOptions;
}

/** Everything that tells others what happens to projects, put together: readers of the event log. */
export class Notifications {
  readonly webhooks: Webhooks;
  readonly unmetIntegrations: (document: CompleteSpec) => ReturnType<typeof unmetIntegrations>;
  readonly #integrations: Integrations;
  readonly #dialler: Dialler;
  readonly #logs: ProjectLogs;

  constructor(parts: Deps) {
    const { config, db, clock, log, keyring, metrics, openWaits, signals, version, options } = parts;
    const rules = { allowsLocal: config.allowLocalWebhooks, networks: config.webhookNetworks };
    this.webhooks = new Webhooks({
      db,
      clock,
      log: log.child({ service: "webhooks" }),
      keyring,
      metrics,
      openWaits,
      rules,
      version,
      notifyNodes: (id) => {
        this.webhooks.noteChanged(id);
        parts.notifyNodes(id);
      },
      options,
    });
    const jira = readJiraSettings(config.jira.declared, config.jira.file);
    this.unmetIntegrations = (document) => unmetIntegrations(jira, document);
    this.#dialler = webhooksDialler(rules);
    this.#logs = new ProjectLogs({ db, log, onWritten: (projectId) => signals.signal(projectId) });
    this.#integrations = new Integrations({
      db,
      clock,
      log: log.child({ service: "integrations" }),
      logs: this.#logs,
      findDocument: parts.findDocument,
      projectUrl: (projectId) => `${config.publicUrl}/projects/${projectId}`,
      findSecrets: async (document) => lookUpSecrets(await parts.secretSources(), document),
      dial: this.#dialler.fetch,
      dialOperators: parts.dialOperators,
      jira,
      environment: process.env,
    });
  }

  /** Something happened to a project. */
  noteEvent(): void {
    this.webhooks.noteEvent();
    this.#integrations.wake();
  }

  /** Anything may have happened. */
  noteMissed(): void {
    this.webhooks.noteMissed();
    this.#integrations.wake();
  }

  async start({ isAlone }: { isAlone: boolean }): Promise<void> {
    await this.webhooks.start({ isAlone });
    this.#integrations.start();
  }

  /** Gives back what is under way. */
  async stop(): Promise<void> {
    await Promise.all([this.webhooks.stop(), this.#integrations.stop()]);
    await this.#logs.flush();
  }

  async close(): Promise<void> {
    await this.#dialler.close();
    await this.webhooks.close();
  }
}
