export { type Keyring, loadKeyring } from "./keyring.ts";
export { type FoundSecrets, hasSecret, lookUpSecrets, type SecretSources } from "./look-up.ts";
export { Masker } from "./masker.ts";
