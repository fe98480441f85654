/** What a unit of systemd for the service is made of. */
export interface UnitParts {
  /** Absolute: the Node that runs, and the service's program. */
  readonly node: string;
  readonly program: string;
  /** What follows 'serve'. */
  readonly args: readonly string[];
  /** Undefined for a unit of the user's own systemd. */
  readonly user: string | undefined;
  readonly workingFolder: string;
  readonly dataFolder: string;
  /** Variables for settings that have no flag; the file may be missing. */
  readonly environmentFile: string;
}

/**
 * A unit that runs the service after each boot. Little hardens it, because the service's own sandbox needs what most
 * options take away: those with a system call filter imply NoNewPrivileges, those that cover parts of /proc keep bubblewrap
 * from mounting its own, and a private /tmp would part the service from the supervisor that outlives it. A user's systemd
 * may not even do that much, nor raise limits.
 */
export function systemdUnit(parts: UnitParts): string {
  const { node, program, args, user, workingFolder, dataFolder, environmentFile } = parts;
  const online = "Wants=network-online.target\nAfter=network-online.target\n";
  const guarded = `LimitNOFILE=65536\nProtectSystem=full\nReadWritePaths=${quoteWord(`-${dataFolder}`)}\n`;
  return `[Unit]
Description=Slipway
${user === undefined ? "" : online}
[Service]
Type=exec
${user === undefined ? "" : `User=${escapeSpecifiers(user)}\n`}WorkingDirectory=${escapeSpecifiers(workingFolder)}
ExecStart=${[node, program, "serve", ...args].map(quoteWord).join(" ")}
# Settings and secrets that have no flag, as SLIPWAY_NAME=value lines. Keep it to its owner, with mode 600.
EnvironmentFile=-${escapeSpecifiers(environmentFile)}
Restart=on-failure
RestartSec=2
# A wrong setting: starting again does not help.
RestartPreventExitStatus=2
# Ends the service alone. It shuts its database down; what is deployed goes on, and the next start finds it.
KillMode=process
TimeoutStopSec=90
# A deployed program that runs out of memory must not stop the others.
OOMPolicy=continue
TasksMax=infinity
${user === undefined ? "" : guarded}
[Install]
WantedBy=${user === undefined ? "default.target" : "multi-user.target"}
`;
}

/** A word of a command line: in quotes, and nothing in it is a specifier, a variable or an escape. */
export function quoteWord(word: string): string {
  const plain = escapeSpecifiers(word).replaceAll("$", "$$$$");
  if (/^[\w./:=@,+%$-]+$/.test(plain)) return plain;
  const escaped = plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return `"${escaped}"`;
}

/** In units, a percent sign begins a specifier. */
function escapeSpecifiers(text: string): string {
  return text.replaceAll("%", "%%");
}
