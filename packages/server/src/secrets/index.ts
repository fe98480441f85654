export { type EnvironmentSecrets, type FoundSecrets, hasSecret, lookUpSecrets } from "./look-up.ts";
export { Masker } from "./masker.ts";
