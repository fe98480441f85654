import { type NetworkLimits, networkLimits } from "../../../platform/network/index.ts";
import { withoutEndSlashes } from "../../../platform/without-end-slashes.ts";
import type { AgentDriver, AgentHost } from "../driver.ts";
import { failed, failedRun } from "../failed-report.ts";
import type { ModelEndpoint } from "./ask-model.ts";
import { type LlmLimits, LlmRun, type Price } from "./llm-run.ts";
import { modelFetch } from "./model-fetch.ts";
import { probeModel } from "./probe-model.ts";

export interface LlmSettings {
  /** With its version: `https://api.example.org/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** The environment variable that holds the key; absent if the endpoint needs none. */
  readonly keyEnv?: string;
  readonly maxOutputTokens?: number;
  readonly limits?: Partial<LlmLimits>;
  /** Overrides what the project's document says. */
  readonly network?: Partial<NetworkLimits>;
  readonly price?: Price;
}

interface LlmDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Calls the endpoint for a probe, outside of any run. */
  readonly fetch: AgentHost["fetch"];
}

const defaults: LlmLimits = {
  maxSteps: 100,
  contextTokens: 128_000,
  answerSeconds: 600,
  runSeconds: { default: 120, max: 600 },
};
const probeNetwork: NetworkLimits = { connectSeconds: 5, readSeconds: 10, maxAttempts: 1, backoffFactor: 1 };

/** Drives a model behind an OpenAI-compatible endpoint, with our own tools. */
export function llmDriver(settings: LlmSettings, { env, fetch }: LlmDeps): AgentDriver {
  const findEndpoint = (through: AgentHost["fetch"], network: NetworkLimits): ModelEndpoint | undefined => {
    const key = settings.keyEnv === undefined ? undefined : env[settings.keyEnv]?.trim();
    if (settings.keyEnv !== undefined && !key) return undefined;
    return {
      baseUrl: withoutEndSlashes(settings.baseUrl),
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
      const endpoint = findEndpoint(fetch, { ...probeNetwork, ...settings.network });
      return endpoint === undefined ? { isUsable: false, reason: noKey } : probeModel(endpoint, signal);
    },
    start: (work, host) => {
      const network = networkLimits(settings.network ?? {}, work.document);
      const endpoint = findEndpoint((url, init) => host.fetch(url, init), network);
      if (endpoint === undefined) return failedRun(failed("model_key", noKey));
      const limits = { ...defaults, ...settings.limits };
      return new LlmRun({ endpoint, limits, network, price: settings.price, work, host });
    },
  };
}
