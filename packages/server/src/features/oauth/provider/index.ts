export { openProvider } from "./open-provider.ts";
export { type Grant, type Provider, ProviderRefusal, type ProviderTokens } from "./provider.ts";
export { TokenVerifier } from "./token-verifier.ts";
