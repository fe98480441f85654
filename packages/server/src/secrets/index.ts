export { type FoundSecrets, hasSecret, lookUpSecrets, type SecretSources } from "./look-up.ts";
export { Masker } from "./masker.ts";
