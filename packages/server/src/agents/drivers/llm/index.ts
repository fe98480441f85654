export { type LlmSettings, llmDriver } from "./driver.ts";
