import type { ScannerName, Severity, Spotted } from "../finding.ts";

interface ShellRule {
  readonly rule: string;
  readonly severity: Severity;
  readonly pattern: RegExp;
  readonly message: string;
  readonly remedy: string;
}

const fetcher = String.raw`\b(?:curl|wget|fetch|http)\b[^|;&\n]{0,400}`;
const interpreter = String.raw`(?:sudo\s+(?:-\S+\s+){0,3})?(?:/(?:usr/)?bin/)?(?:env\s+)?(?:ba|z|k|da)?sh\b|python[\d.]*\b|node\b|perl\b|ruby\b|php\b`;

const rules: readonly ShellRule[] = [
  rule(
    "download-and-run",
    "high",
    new RegExp(String.raw`${fetcher}\|\s*(?:tee\s+\S+\s*\|\s*)?(?:${interpreter})`),
    "A script is downloaded and run without anybody having seen it.",
    "Download a version, check its checksum, then run it.",
  ),
  rule(
    "download-and-run",
    "high",
    /\b(?:ba|z)?sh\s+(?:-\w+\s+)?(?:<\(|-c\s+["']?(?:\$\(|`))\s*(?:curl|wget)\b|\b(?:source|\.|eval)\s+["']?(?:<\(|\$\(|`)\s*(?:curl|wget)\b/,
    "A script is downloaded and run without anybody having seen it.",
    "Download a version, check its checksum, then run it.",
  ),
  rule(
    "hidden-command",
    "high",
    new RegExp(
      String.raw`\bbase64\s+(?:-d|-D|--decode)\b[^|\n]{0,200}\|\s*(?:${interpreter})|\bxxd\s+-r\b[^|\n]{0,200}\|\s*(?:${interpreter})`,
    ),
    "A command is hidden in an encoding.",
    "Write the command itself.",
  ),
  rule(
    "reverse-shell",
    "critical",
    /\/dev\/(?:tcp|udp)\/|\b(?:nc|ncat|netcat)\b[^\n|;]{0,100}\s-(?=\w*[ec])\w+\s+\S*sh\b|\bmkfifo\b[^\n]{0,200}\bnc\b/,
    "A shell is handed to another machine.",
    "Take it out.",
  ),
  rule(
    "eval",
    "high",
    /(?:^|[;&|\s])eval\s+(?!["']?\$\((?:ssh-agent|brew|direnv|dircolors|minikube|docker-machine|pyenv|rbenv|opam)\b)(?:["']?[^\n"']{0,200}\$[{(@*\w])/,
    "Text that is made at run time is run as a command.",
    "Keep the arguments in an array, and call that.",
  ),
  rule(
    "command-injection",
    "high",
    /\b(?:ba|z|da)?sh\s+-\w*c\s+"[^"\n]{0,300}\$(?:[1-9@*]|\{[1-9@*])|\b(?:ssh|su)\s[^\n"]{0,100}"[^"\n]{0,300}\$(?:[1-9@*]|\{[1-9@*])/,
    "Arguments become part of a command that a second shell reads.",
    "Hand them over as arguments: sh -c '…' sh \"$1\".",
  ),
  rule(
    "world-writable",
    "medium",
    /\bchmod\s+(?:-\w+\s+){0,3}(?:0?[0-7]{0,2}[2367]\b|[ugoa]*[oa][+=][rwxst]*w|a\+w|\+w\s+\/)/,
    "Every user of the machine may change the file.",
    "Use 755 or 600.",
  ),
  rule(
    "no-certificate-check",
    "high",
    /\bcurl\b[^|;\n]{0,300}\s(?:-[a-zA-Z]{0,6}k[a-zA-Z]{0,6}|--insecure)(?:\s|$)|\bwget\b[^|;\n]{0,300}--no-check-certificate|\bgit\b[^|;\n]{0,100}http\.sslVerify\s*=?\s*false|GIT_SSL_NO_VERIFY=(?:1|true)|NODE_TLS_REJECT_UNAUTHORIZED=["']?0|\bstrict-ssl\s*=?\s*false|PYTHONHTTPSVERIFY=0|\bpip\d?\b[^|;\n]{0,200}--trusted-host|--allow-unauthenticated|--no-gpg-check|--nogpgcheck|--allow-untrusted/,
    "Certificates or signatures of what is downloaded are not checked.",
    "Leave the check on.",
  ),
  rule(
    "no-host-key-check",
    "medium",
    /StrictHostKeyChecking[= ]["']?no\b|UserKnownHostsFile[= ]\/dev\/null/,
    "Keys of other machines are not checked.",
    "Put the key into known_hosts.",
  ),
  rule(
    "unsafe-remove",
    "medium",
    /\brm\s+(?:-\w+\s+){0,4}-\w*[rR]\w*\s+(?:-\w+\s+){0,4}(?:["']?\$\{?\w+\}?["']?\/(?:\*|\s|$)|\$(?:[1-9@*]|\{[1-9]\})|\/\*|\/\s*$|\/\s*[;&|])/,
    "An empty variable makes this remove everything.",
    "Quote it, and refuse an empty one with `:?`.",
  ),
  rule(
    "predictable-file",
    "low",
    />{1,2}\s*["']?\/tmp\/[\w.-]{1,60}\.?\$\$|=["']?\/tmp\/[\w.-]{1,60}\.?\$\$/,
    "Another program can make the file first.",
    "Use mktemp.",
  ),
  rule("unlimited-sudo", "high", /NOPASSWD:\s*ALL/, "Anybody with this account is root.", "Allow single commands."),
  rule(
    "open-path",
    "medium",
    /\bPATH=["']?(?:\.:|:|\.\/)|\bPATH=["']?[^\n"']{0,200}:\.(?:["':\s]|$)/,
    "Programs are looked for in the current folder.",
    "Leave the current folder out of PATH.",
  ),
];

interface ShellOptions {
  readonly firstLine?: number;
  readonly scanner?: ScannerName;
  /** Told of each line that is longer than what is read of it. */
  readonly onLong?: (line: number) => void;
}

/** The expressions take long for longer ones. */
const maxCommandChars = 20_000;

/** Dangerous lines of a shell script, a Makefile or a command of another file. */
export function scanShell(
  text: string,
  { firstLine = 1, scanner = "shell" as ScannerName, onLong }: ShellOptions = {},
): Spotted[] {
  const found: Spotted[] = [];
  for (const { line, command: whole } of commandsOf(text)) {
    if (whole.length > maxCommandChars) onLong?.(firstLine + line - 1);
    const command = whole.slice(0, maxCommandChars);
    for (const { rule: id, pattern, ...rest } of rules) {
      const ruleId = `shell/${id}`;
      const at = firstLine + line - 1;
      if (!pattern.test(command) || found.some((one) => one.ruleId === ruleId && one.line === at)) continue;
      const { severity, message, remedy } = rest;
      found.push({ ruleId, severity, message, remedy, line: at, scanner });
    }
  }
  return found;
}

/** Lines without comments, those that end with a backslash joined. */
function* commandsOf(text: string): Generator<{ line: number; command: string }> {
  let command = "";
  let begin = 1;
  for (const [index, raw] of text.split("\n").entries()) {
    if (command === "") begin = index + 1;
    const line = withoutGaps(raw);
    if (/^\s*#/.test(line)) {
      if (command === "") continue;
    } else {
      const own = line.replace(/\\$/, "");
      command += command === "" ? own : ` ${own.trim()}`;
      if (own !== line) continue;
    }
    // Only what stands apart is a comment: `${#name}` and `a#b` are not.
    yield { line: begin, command: command.replace(/(^|\s)#(?!\{).*$/, "$1") };
    command = "";
  }
  if (command !== "") yield { line: begin, command };
}

/** A line without its end, and with one blank for many: they would push what follows beyond what is read. */
export function withoutGaps(line: string): string {
  return line.replace(/\r$/, "").replaceAll(/[^\S\n]+/g, " ");
}

function rule(id: string, severity: Severity, pattern: RegExp, message: string, remedy: string): ShellRule {
  return { rule: id, severity, pattern, message, remedy };
}
