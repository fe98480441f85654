import type { Severity, Spotted } from "../finding.ts";
import { isPlaceholder } from "../secrets/placeholder.ts";
import { scanShell, withoutGaps } from "./scan-shell.ts";

/** Told of each line that is longer than what is read of it. */
type OnLong = (line: number) => void;

interface Instruction {
  readonly line: number;
  readonly name: string;
  readonly rest: string;
}

const secretName =
  /(?:^|_)(?:PASSWORD|PASSWD|PWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|SECRET_?KEY)(?:$|_\d)/i;

/** What is unsafe in the recipe of a container image. */
export function scanDockerfile(text: string, onLong?: OnLong): Spotted[] {
  const instructions = readInstructions(text);
  const froms = instructions.filter(({ name }) => name === "FROM");
  if (froms.length === 0) return [];
  const found = instructions.flatMap((one) => [...ofInstruction(one, stagesOf(froms), onLong)]);
  const last = froms.at(-1)!;
  const users = instructions.filter(({ name, line }) => name === "USER" && line > last.line);
  const user = users.at(-1)?.rest.trim();
  // Only the last stage runs; a name of another stage brings that stage's user along, which we cannot see from here.
  if (user === undefined || /^(?:root|0)(?::|$)/.test(user))
    found.push(
      spot(
        users.at(-1)?.line ?? last.line,
        "root-user",
        "medium",
        "The program runs as root in its container.",
        "Add a user and a USER line before CMD.",
      ),
    );
  return found;
}

function* ofInstruction(
  { name, rest, line }: Instruction,
  stages: ReadonlySet<string>,
  onLong: OnLong | undefined,
): Generator<Spotted> {
  switch (name) {
    case "FROM": {
      const image = rest.replace(/^--platform=\S+\s+/, "").split(/\s+/)[0] ?? "";
      const isOwn =
        image === "scratch" || stages.has(image.toLowerCase()) || /\$/.test(image) || image.includes("@sha256:");
      const tag = /:([^/:]+)$/.exec(image)?.[1];
      if (!isOwn && (tag === undefined || tag === "latest"))
        yield spot(
          line,
          "unpinned-image",
          "low",
          `The image '${image.slice(0, 100)}' changes from day to day.`,
          "Name a version, or a digest.",
        );
      return;
    }
    case "ADD":
      if (/(?:^|\s)https?:\/\//i.test(rest) && !/--checksum=/.test(rest))
        yield spot(
          line,
          "unchecked-download",
          "medium",
          "A file is downloaded without a check of what it is.",
          "Use ADD --checksum=sha256:…, or COPY.",
        );
      if (/(?:^|\s)http:\/\//i.test(rest))
        yield spot(line, "plain-download", "high", "A file is downloaded without TLS.", "Use https.");
      yield* ofCopy(rest, line);
      return;
    case "COPY":
      yield* ofCopy(rest, line);
      return;
    case "ENV":
    case "ARG":
      yield* ofVariables(rest, line);
      return;
    case "EXPOSE":
      if (/(?:^|\s)(?:22|23|2375)(?:\/tcp)?(?:\s|$)/.test(rest))
        yield spot(
          line,
          "remote-shell-port",
          "medium",
          "A port for remote control is opened.",
          "Use the container engine to enter the container.",
        );
      return;
    case "RUN":
    case "CMD":
    case "ENTRYPOINT":
      yield* scanShell(rest, { firstLine: line, scanner: "containers", ...(onLong && { onLong }) });
      if (/\bsudo\b/.test(rest) && name !== "RUN")
        yield spot(line, "sudo", "low", "The program uses sudo in its container.", "Run as the user that it needs.");
      return;
    default:
      return;
  }
}

function* ofCopy(rest: string, line: number): Generator<Spotted> {
  if (
    /(?:^|[\s/])(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.env|\.npmrc|\.netrc|\.aws|\.ssh|[\w.-]+\.(?:pem|p12|pfx))(?:[\s/]|$)/.test(
      rest,
    ) &&
    !/\.pub\b/.test(rest)
  )
    yield spot(
      line,
      "secret-in-image",
      "high",
      "A file with secrets becomes part of the image.",
      "Use RUN --mount=type=secret, or hand it over when the container starts.",
    );
}

function* ofVariables(rest: string, line: number): Generator<Spotted> {
  for (const [, name = "", a, b, c] of rest.matchAll(
    /([A-Za-z_]\w{0,60})(?:=|\s+(?!\w+=))(?:"([^"]*)"|'([^']*)'|(\S+))/g,
  )) {
    const value = a ?? b ?? c ?? "";
    if (!secretName.test(name) || value.length < 4 || isPlaceholder(value) || /^(?:\/|true$|false$)/.test(value))
      continue;
    yield spot(
      line,
      "secret-in-image",
      "high",
      `The value of ${name} becomes part of the image.`,
      "Hand it over when the container starts, or use RUN --mount=type=secret.",
    );
  }
}

function stagesOf(froms: readonly Instruction[]): Set<string> {
  return new Set(froms.flatMap(({ rest }) => /\sas\s+(\S+)/i.exec(rest)?.[1]?.toLowerCase() ?? []));
}

function readInstructions(text: string): Instruction[] {
  const found: { line: number; name: string; rest: string }[] = [];
  let isOpen = false;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = withoutGaps(raw);
    if (/^\s*#/.test(line)) continue;
    const last = found.at(-1);
    if (isOpen && last !== undefined) {
      // Each on a line of its own, so that a finding is where the command stands.
      last.rest += ` ${line.trim().replace(/\\$/, "")}`;
    } else {
      const [, name, rest = ""] = /^\s*([A-Za-z]+)\s+(\S.*|)$/.exec(line) ?? [];
      if (name === undefined) continue;
      found.push({ line: index + 1, name: name.toUpperCase(), rest: rest.replace(/\\$/, "") });
    }
    isOpen = /\\\s*$/.test(line);
  }
  return found;
}

/** The expressions take long for longer ones. */
const maxLineChars = 20_000;

/** What gives a container the machine it runs on, in a compose file or a manifest of Kubernetes. */
export function scanManifest(text: string, onLong?: OnLong): Spotted[] {
  const found: Spotted[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const whole = withoutGaps(raw);
    if (whole.length > maxLineChars) onLong?.(index + 1);
    const line = whole.slice(0, maxLineChars);
    if (/^\s*#/.test(line)) continue;
    for (const [pattern, rule, severity, message, remedy] of manifestRules)
      if (pattern.test(line)) found.push(spot(index + 1, rule, severity, message, remedy));
    const command =
      /^\s*(?:-\s+)?(?:run|command|script|entrypoint|args)?\s*:?\s*[|>]?-?\s*(.*(?:curl|wget|base64|eval|chmod|nc|\/dev\/tcp)\b.*)$/.exec(
        line,
      )?.[1];
    if (command !== undefined) found.push(...scanShell(command, { firstLine: index + 1, scanner: "containers" }));
  }
  if (
    /^on:[\s\S]{0,500}?\bpull_request_target\b/m.test(text) &&
    /github\.event\.pull_request\.head\.(?:sha|ref)/.test(text)
  )
    found.push(
      spot(
        1,
        "untrusted-checkout",
        "high",
        "Code of a stranger's pull request runs with the repository's secrets.",
        "Use pull_request.",
      ),
    );
  return found;
}

const manifestRules: readonly (readonly [RegExp, string, Severity, string, string])[] = [
  [
    /^\s*(?:-\s+)?privileged:\s*["']?true\b/,
    "privileged",
    "high",
    "The container has the rights of the machine.",
    "Leave out privileged; add single capabilities.",
  ],
  [
    /\/var\/run\/docker\.sock/,
    "engine-socket",
    "high",
    "The container can start others with any rights.",
    "Do not hand over the engine's socket.",
  ],
  [
    /^\s*allowPrivilegeEscalation:\s*["']?true\b/,
    "privileged",
    "medium",
    "Programs may gain rights.",
    "Set allowPrivilegeEscalation: false.",
  ],
  [
    /^\s*host(?:Network|PID|IPC):\s*["']?true\b|^\s*(?:network_mode|pid|ipc):\s*["']?host\b/,
    "host-namespace",
    "medium",
    "The container shares a namespace with the machine.",
    "Leave it out.",
  ],
  [
    /^\s*runAsUser:\s*0\b|^\s*runAsNonRoot:\s*false\b|^\s*user:\s*["']?(?:root|0)(?:["':\s]|$)/,
    "root-user",
    "medium",
    "The program runs as root in its container.",
    "Name another user.",
  ],
  [
    /^\s*-\s*["']?(?:SYS_ADMIN|ALL|NET_ADMIN|SYS_PTRACE|SYS_MODULE)\b["']?\s*$/,
    "many-capabilities",
    "medium",
    "The container has rights beyond its own.",
    "Add only the capabilities that it needs.",
  ],
  [
    /^\s*(?:-\s+)?(?:run:)?.*\$\{\{\s*github\.(?:event\.(?:issue|pull_request|comment|review|discussion|head_commit)\.[\w.]*(?:title|body|ref|label|message|name|email)|head_ref)\s*\}\}/,
    "command-injection",
    "high",
    "A text that strangers write becomes part of a command.",
    "Put it into a variable with env, and quote that.",
  ],
];

function spot(line: number, rule: string, severity: Severity, message: string, remedy: string): Spotted {
  return { ruleId: `containers/${rule}`, severity, line, message, remedy, scanner: "containers" };
}
