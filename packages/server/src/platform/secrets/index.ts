export { type Keyring, loadKeyring } from "./keyring.ts";
export {
  beforeDeployment,
  type FoundSecrets,
  foreseeSecrets,
  lookUpSecrets,
  type SecretSources,
  unusedSecretFields,
} from "./look-up-secrets.ts";
export { SecretFinder } from "./secret-finder.ts";
export { type Masked, Masker, ownWords, partOf } from "./secret-masker.ts";
export {
  ProviderFailure,
  type SecretOwner,
  type SecretProvider,
  type SecretRequest,
  secretName,
  type UnusedField,
} from "./secret-provider.ts";
