/** Names of variables whose values are secret, whatever they look like. */
const keyNames = /key|token|secret|pass|pwd|cred|auth|cookie|session|private|dsn|connection/i;

/**
 * Whether a variable that an operator gives an agent is a setting and not a secret: an address, a path, a locale, a region, a
 * word. Such values stand in many files.
 */
export function isSetting(name: string, value: string): boolean {
  if (keyNames.test(name)) return false;
  return [
    /^[\d.:,-]{1,12}$/,
    /^[a-z]{1,16}([ _-][a-z]{1,16}){0,3}(-\d{1,2})?$/i,
    /^[a-z]{2}_[a-z]{2}[.@][\w-]{1,12}$/i,
    /^[~.]?\/[\w./ -]*$/,
    // Without a name, a password or parameters.
    /^[a-z][a-z0-9+.-]*:\/\/[\w.:-]+(\/[\w./-]{0,60})?$/i,
  ].some((shape) => shape.test(value));
}
