/** A setting of the operator cannot be used; the message names the setting and the remedy. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
