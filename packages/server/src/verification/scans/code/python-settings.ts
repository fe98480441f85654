import { first, type Spot, type State, secretName, spot } from "./python-calls.ts";

export function* settings(
  state: State,
  bare: string,
  full: string,
  argument: (pattern: RegExp) => string | undefined,
): Generator<Spot> {
  if (
    /\bresolve_entities\s*=\s*True|\bfeature_external_ges\s*,\s*(?:True|1)|\bno_network\s*=\s*False|\bload_dtd\s*=\s*True/.test(
      bare,
    )
  )
    yield spot(
      "xml-entities",
      "high",
      "The XML parser resolves entities, which can read files.",
      "Leave entities off, or use defusedxml.",
    );
  if (/\bverify\s*=\s*False\b/.test(bare) && !/\bjwt\.decode\(/.test(bare))
    yield spot(
      "no-certificate-check",
      "high",
      "Certificates of other servers are not checked.",
      "Leave out verify=False; hand over the authority's certificate.",
    );
  if (
    /\b_create_unverified_context\b|\bCERT_NONE\b|\bcheck_hostname\s*=\s*False\b|\bverify_ssl\s*=\s*False\b|\bssl\s*=\s*False\b.*(?:session|aiohttp|client)/.test(
      bare,
    )
  )
    yield spot(
      "no-certificate-check",
      "high",
      "Certificates of other servers are not checked.",
      "Use ssl.create_default_context().",
    );
  const isUnsecured = /usedforsecurity\s*=\s*False/.test(bare);
  const hash =
    /\bhashlib\.(md5|md4|sha1)\(/.exec(bare)?.[1] ?? /\bhashlib\.new\(\s*["'](md5|md4|sha1)["']/i.exec(full)?.[1];
  if (hash !== undefined && !isUnsecured) {
    const isSecret = secretName.test(`${bare} ${state.owner}`);
    if (isSecret)
      yield spot(
        "weak-hash",
        "high",
        `${hash} protects a secret, and is quickly undone.`,
        "Use hashlib.scrypt or argon2 for passwords, SHA-256 for others.",
      );
    else if (hash.startsWith("md"))
      yield spot(
        "weak-hash",
        "medium",
        `${hash} is broken: two files can have the same hash.`,
        "Use SHA-256, or usedforsecurity=False.",
      );
  }
  if (
    /\bhashlib\.sha(?:224|256|384|512)\(/.test(bare) &&
    /passw(?:or)?d|pwd/i.test(bare.slice(bare.indexOf("hashlib")))
  )
    yield spot(
      "fast-password-hash",
      "medium",
      "A fast hash protects a password: it can be guessed billions of times a second.",
      "Use hashlib.scrypt or argon2 with a salt.",
    );
  if (
    /\b(?:DES3?|ARC4|ARC2|Blowfish|XOR|CAST|IDEA)\.new\(|\bMODE_ECB\b|\bmodes\.ECB\(|\balgorithms\.(?:ARC4|Blowfish|TripleDES|IDEA)\(/.test(
      bare,
    )
  )
    yield spot("weak-cipher", "high", "The cipher no longer hides what it encrypts.", "Use AES in GCM mode.");
  if (
    /(?<![.\w])random\.(?:random|randint|choice|choices|randrange|getrandbits|sample|uniform)\(/.test(bare) &&
    secretName.test(`${/^(.*?)=/.exec(bare)?.[1] ?? ""} ${state.owner}`)
  )
    yield spot(
      "weak-random",
      "high",
      "A secret is made by a generator whose next number can be guessed.",
      "Use the module secrets.",
    );
  if (/\.run\(.*\bdebug\s*=\s*True/.test(bare) || /\bapp\.debug\s*=\s*True/.test(bare))
    yield spot("debug-mode", "high", "The debugger lets visitors run code.", "Leave out debug=True.");
  if (/^DEBUG\s*=\s*True\b/.test(bare))
    yield spot(
      "debug-mode",
      "medium",
      "Error pages show the program's settings.",
      "Read DEBUG from a variable, False by default.",
    );
  if (/^ALLOWED_HOSTS\s*=\s*\[\s*["']\*["']/.test(full))
    yield spot("any-host", "low", "The service answers to any host name.", "List the host names.");
  if (/\btempfile\.mktemp\(|\bos\.tempnam\(|\bos\.tmpnam\(/.test(bare))
    yield spot(
      "predictable-file",
      "medium",
      "Another program can make the file first.",
      "Use tempfile.mkstemp or NamedTemporaryFile.",
    );
  if (/\bos\.f?chmod\(.*\b(?:0o?[0-7]{2}[2367]|stat\.S_IWOTH|511)\b/.test(bare))
    yield spot("world-writable", "medium", "Every user of the machine may change the file.", "Use 0o600 or 0o755.");
  if (
    /\bautoescape\s*=\s*False\b/.test(bare) ||
    (/(?<![.\w])(?:jinja2\.)?Environment\(/.test(bare) && /jinja|loader/i.test(bare) && !/autoescape/.test(bare))
  )
    yield spot("no-escaping", "high", "The template engine escapes nothing.", "Set autoescape=True.");
  if (
    /\bjwt\.decode\(/.test(bare) &&
    (/\bverify\s*=\s*False\b/.test(bare) ||
      /verify_signature["']\s*:\s*False/.test(full) ||
      /algorithms\s*=\s*\[[^\]]*["']none["']/i.test(full))
  )
    yield spot(
      "unsigned-token",
      "critical",
      "Tokens count without their signature being checked.",
      "Hand over the key and the algorithm.",
    );
  const signed = argument(/\bjwt\.(?:encode|decode)\(/);
  const key = signed === undefined ? undefined : first(signed.slice(first(signed).length + 1));
  if (key !== undefined && /^\s*""\s*$/.test(key))
    yield spot("fixed-key", "high", "The key that signs tokens stands in the program.", "Read it from a variable.");
  if (/\bset_missing_host_key_policy\(.*(?:AutoAddPolicy|WarningPolicy)/.test(bare))
    yield spot(
      "no-host-key-check",
      "medium",
      "Keys of other machines are not checked.",
      "Use RejectPolicy and known hosts.",
    );
  if (/\.extractall\(/.test(bare) && !/filter\s*=|members\s*=/.test(bare))
    yield spot(
      "archive-traversal",
      "medium",
      "An archive may hold paths that lead out of the folder.",
      'Use filter="data", or check each name.',
    );
  if (/^import (?:telnetlib|ftplib)\b|^from (?:telnetlib|ftplib) import/.test(bare))
    yield spot("plain-protocol", "medium", "The protocol sends passwords as plain text.", "Use SSH or TLS.");
  if (/^@csrf_exempt\b/.test(bare))
    yield spot(
      "no-forgery-check",
      "medium",
      "Requests from other sites are accepted.",
      "Leave out csrf_exempt, or check a signature.",
    );
  if (
    /\bsupports_credentials\s*=\s*True|\ballow_credentials\s*=\s*True/.test(bare) &&
    /origins\s*=\s*(?:\[\s*)?["']\*["']/.test(full)
  )
    yield spot("any-origin", "high", "Any site may read answers with a user's cookies.", "List the origins.");
  if (
    /(?:==|!=)\s*[\w.()]*\.(?:hexdigest|digest)\(\)|\.(?:hexdigest|digest)\(\)\s*(?:==|!=)/.test(bare) &&
    /hmac|sign|token|secret/i.test(`${bare} ${state.owner}`)
  )
    yield spot(
      "timing-attack",
      "medium",
      "A secret is compared sign by sign, and the time tells how many were right.",
      "Use hmac.compare_digest.",
    );
}
