export { type Keyring, loadKeyring } from "./keyring.ts";
export { type FoundSecrets, hasSecret, lookUpSecrets, type SecretSources } from "./look-up-secrets.ts";
export { SecretFinder } from "./secret-finder.ts";
export { Masker } from "./secret-masker.ts";
