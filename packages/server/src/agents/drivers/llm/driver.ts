import { type NetworkLimits, networkLimits } from "../../../platform/network/index.ts";
import type { AgentDriver, AgentEvent, AgentHost, AgentReport, AgentRun } from "../driver.ts";
import { EventQueue } from "../event-queue.ts";
import type { ModelEnd } from "./ask-model.ts";
import { type LlmLimits, LlmRun, type Price } from "./llm-run.ts";
import { modelFetch } from "./model-fetch.ts";
import { probeModel } from "./probe-model.ts";

/** A model behind an OpenAI-compatible endpoint, and what it may take. */
export interface LlmSettings {
  /** With its version: `https://api.example.org/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** The variable of the service's environment that holds the key; left out: none is needed. */
  readonly keyEnv?: string;
  readonly maxOutputTokens?: number;
  readonly limits?: Partial<LlmLimits>;
  /** What is not set here is as the project's document says. */
  readonly network?: Partial<NetworkLimits>;
  readonly price?: Price;
}

/** What it takes from the service itself. */
interface LlmDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The guarded way out, for seeing whether the model is there while nobody works. */
  readonly fetch: AgentHost["fetch"];
}

const defaults: LlmLimits = {
  maxSteps: 100,
  contextTokens: 128_000,
  answerSeconds: 600,
  runSeconds: { usual: 120, most: 600 },
};
const probeNetwork: NetworkLimits = { connectSeconds: 5, readSeconds: 10, maxAttempts: 1, backoffFactor: 1 };

/** Drives any model behind an OpenAI-compatible endpoint, with tools of our own. */
export function llmDriver(settings: LlmSettings, { env, fetch }: LlmDeps): AgentDriver {
  const findEnd = (through: AgentHost["fetch"], network: NetworkLimits): ModelEnd | undefined => {
    const key = settings.keyEnv === undefined ? undefined : env[settings.keyEnv]?.trim();
    if (settings.keyEnv !== undefined && !key) return undefined;
    return {
      baseUrl: settings.baseUrl.replace(/\/+$/, ""),
      model: settings.model,
      key,
      maxOutputTokens: settings.maxOutputTokens,
      fetch: modelFetch(through, network),
    };
  };
  const noKey = `The model's key is missing: the variable ${settings.keyEnv} is not set where the service runs.`;
  return {
    kind: "llm",
    probe: async (signal) => {
      const end = findEnd(fetch, { ...probeNetwork, ...settings.network });
      return end === undefined ? { isUsable: false, reason: noKey } : probeModel(end, signal);
    },
    start: (work, host) => {
      const network = networkLimits(settings.network ?? {}, work.document);
      const end = findEnd((url, init) => host.fetch(url, init), network);
      if (end === undefined) return failedRun({ is: "failed", code: "model_key", message: noKey });
      const limits = { ...defaults, ...settings.limits };
      return new LlmRun({ end, limits, network, price: settings.price, work, host });
    },
  };
}

function failedRun(report: AgentReport): AgentRun {
  const events = new EventQueue<AgentEvent>();
  events.close();
  return { events, result: Promise.resolve(report), cancel: () => {} };
}
