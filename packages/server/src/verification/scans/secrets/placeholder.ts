/** Words that people write where a secret will stand. */
const words =
  /change[-_ ]?(?:me|it|this)|replace[-_ ]?(?:me|with|this)|example|placeholder|dummy|sample|your[-_ ]|<[^>]{1,60}>|\*{3,}|x{4,}|\.{3,}|todo|fixme|insert[-_ ]|redacted|masked|not[-_ ]?(?:a[-_ ])?(?:real|secret)|fake|lorem|foo ?bar|\bnone\b|\bnull\b|undefined|my[-_]?(?:secret|password|token|key)$/i;

/** Values that are read from elsewhere at run time: `${NAME}`, `{{ name }}`, `$NAME`, `%NAME%`, `process.env.NAME`. */
const reference =
  /\$\{|\{\{|\}\}|^\$[A-Za-z_(]|^%[\w.]{1,60}%$|^<%|process\.env|os\.environ|getenv|import\.meta|secrets?\.[A-Z_]+|^@[\w./]+$|^(?:env|vault|ref|arn|file|op|ssm):/i;

/**
 * Whether a value that looks like a secret is plainly none: a word for one, a reference to one, or one sign repeated. It is
 * decided by the value alone, never by the file's name: a real key in a test is as public as any other.
 */
export function isPlaceholder(value: string): boolean {
  if (words.test(value) || reference.test(value)) return true;
  if (new Set(value.toLowerCase()).size < 5) return true;
  return isSequence(value);
}

/** `0123456789abcdef`, `abcdefgh…`: most neighbours follow each other. */
function isSequence(value: string): boolean {
  if (value.length < 8) return false;
  let steps = 0;
  for (let at = 1; at < value.length; at += 1) if (value.charCodeAt(at) - value.charCodeAt(at - 1) === 1) steps += 1;
  return steps / (value.length - 1) > 0.6;
}

/** Bits of a sign, from how often each occurs: words have about 3, random base64 has over 4. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
