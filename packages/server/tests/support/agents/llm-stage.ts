import { onTestFinished } from "vitest";
import { type LlmSettings, llmDriver } from "../../../src/agents/drivers/llm/index.ts";
import { newFolder, plainHost } from "./plain-host.ts";
import { type ModelScript, startScriptedModel } from "./scripted-model.ts";

export const key = "sk-very-secret-1234567890";

/** A model that answers as the script says, and a driver for it. */
export async function setUp(script: ModelScript, settings: Partial<LlmSettings> = {}) {
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  const folder = await newFolder();
  const host = plainHost(folder);
  const given: LlmSettings = {
    baseUrl: model.baseUrl,
    model: "scripted",
    keyEnv: "MODEL_KEY",
    ...settings,
    network: { connectSeconds: 5, readSeconds: 5, maxAttempts: 3, backoffFactor: 1, ...settings.network },
  };
  const driver = llmDriver(given, { env: { MODEL_KEY: key }, fetch });
  return { model, folder, host, driver };
}
