/** Something that the operator configured cannot be used; the message names the place and the remedy. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
