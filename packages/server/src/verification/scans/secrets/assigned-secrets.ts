import type { FoundSecret } from "./find-secrets.ts";
import { entropyOf, isPlaceholder } from "./placeholder.ts";

/** Names of what holds a secret; the word must end the name, or be followed by a number. */
const name = String.raw`[A-Za-z0-9_.-]{0,40}?(?:passwo?r?d|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|secret[_-]?key|master[_-]?key|account[_-]?key|client[_-]?secret|credentials?|(?<![a-z])salt|pepper)(?:[_-]?(?:value|base64|b64|prod|dev|\d))?`;

/** `name: "value"`, `name = 'value'`, `"name" => "value"`, `name := "value"`. */
const quoted = new RegExp(
  String.raw`(?<![A-Za-z0-9_.$-])["'\x60]?(${name})["'\x60]?\]?\s{0,8}(?::\s{0,2}(?:str|String|string)\s{0,2})?(?:=>|:=|=|:|\?\?|\|\|)\s{0,8}[rbuf]?(["'\x60])([^"'\x60\n]{6,200})\2`,
  "gi",
);

/** A default behind a variable: `process.env.JWT_SECRET || "value"`, `os.environ.get("SECRET", "value")`. */
const fallback = new RegExp(
  String.raw`(?:process\.env(?:\.|\[["'])|environ(?:\.get)?[([]["']|getenv\(["'])(${name})["']?[)\]]?\s{0,3}(?:\|\||\?\?|,)\s{0,3}(["'\x60])([^"'\x60\n]{6,200})\2`,
  "gi",
);

/** `set("password", "value")`. */
const handedOver = new RegExp(
  String.raw`\(\s{0,3}["'](${name})["'],\s{0,3}(["'])([^"'\x60\n]{6,200})\2\s{0,3}\)`,
  "gi",
);

/** `NAME=value` of an environment file, an ini file or a properties file, and `name: value` of YAML. */
const bare = new RegExp(
  String.raw`^[ \t]{0,40}(?:export[ \t]+|ENV[ \t]+|ARG[ \t]+|-[ \t]+|set[ \t]+)?["']?(${name})["']?[ \t]{0,8}(?:=|:[ \t])[ \t]{0,8}()([^\s"'#,;]{8,200})[ \t]{0,8}$`,
  "gim",
);

/** Files in which a value needs no quotation marks. */
const bareFiles =
  /(?:^|\/)(?:\.env[\w.-]*|[\w.-]*\.(?:env|ini|cfg|conf|config|properties|ya?ml|toml)|(?:[\w.-]*\.)?(?:Docker|Container)file[\w.-]*|\.npmrc|\.pypirc|\.netrc|credentials)$/i;

/** Values that a name of the kind above holds although they are no secret. */
const harmless =
  /^(?:true|false|string|text|password|passwd|required|optional|bearer|basic|hidden|number|boolean|object|current-password|new-password|on|off|auto|default|disabled|enabled|(?:https?|wss?):\/\/\S*|[./~][\w./-]*|[\w-]+\.(?:json|pem|key|ts|js|py|txt|ya?ml))$/i;

/** What signs or encrypts has no label: whatever stands there is the key, be it words only. */
const signing = /(?:jwt|session|cookie|signing|encryption|flask|secret)[_-]?(?:secret|key)$/i;

/** Values that a program gives to what is named like a secret. */
export function findAssignedSecrets(path: string, text: string): FoundSecret[] {
  const isBare = bareFiles.test(path);
  const patterns = isBare ? [quoted, fallback, handedOver, bare] : [quoted, fallback, handedOver];
  const found: FoundSecret[] = [];
  for (const pattern of patterns) {
    for (const match of text.matchAll(pattern)) {
      const [whole, key = "", , value = ""] = match;
      if (!looksSecret(key, value, pattern === bare)) continue;
      const start = match.index + whole.lastIndexOf(value);
      found.push({
        id: "assigned-secret",
        what: `value for '${key.slice(-60)}'`,
        severity: "high",
        start,
        end: start + value.length,
      });
      if (found.length >= 100) return found;
    }
  }
  return found;
}

function looksSecret(key: string, value: string, isBare: boolean): boolean {
  if (isPlaceholder(value) || harmless.test(value) || /^[\s\W]*$/.test(value)) return false;
  // Prose, code and names of things: a message about a password, a lookup of one, the name of a header.
  if (/\s/.test(value) && !/^\S+(?: \S+){0,2}$/.test(value)) return false;
  if (/[()[\]{}<>]/.test(value) && isBare) return false;
  if (sameWords(key, value)) return false;
  if (signing.test(key) && !/\s/.test(value)) return true;
  const isPassword = /pass|pwd|secret|salt|pepper|credential/i.test(key);
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  // A word alone may be a label; a password that a person made mixes kinds of signs.
  if (isPassword)
    return /\s/.test(value) ? isPhrase(key, value) : kinds >= 2 && !isWords(value) ? entropyOf(value) >= 2.3 : false;
  return !/\s/.test(value) && value.length >= 12 && kinds >= 2 && !isWords(value) && entropyOf(value) >= 3;
}

/** `session_secret` is no value for `sessionSecret`: a name that repeats itself. */
function sameWords(key: string, value: string): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const [a, b] = [plain(key), plain(value)];
  return a.endsWith(b) || b.endsWith(a);
}

/** Words joined by `-`, `_`, `.`, `:`, `/` or capitals: a name or a label, such as `auth-token-header`. */
function isWords(value: string): boolean {
  if (/\d{2}/.test(value) || /[!@#$%^&*+=?~]/.test(value)) return false;
  const parts = value.split(/[-_.:/ ]|(?<=[a-z])(?=[A-Z])/);
  return parts.every(
    (part) => /^(?:[A-Za-z]{2,14}|\d|v\d)?$/.test(part) && (part.length < 4 || /[aeiouy]/i.test(part)),
  );
}

/** `keyboard cat`: the phrase that signs sessions. */
function isPhrase(key: string, value: string): boolean {
  return /secret|passphrase/i.test(key) && /^[\w-]+ [\w-]+(?: [\w-]+)?$/.test(value) && value === value.toLowerCase();
}
