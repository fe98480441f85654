/** What a unit of systemd for the service is made of. */
export interface UnitParts {
  /** Absolute: the Node that runs, and the service's program. */
  readonly node: string;
  readonly program: string;
  /** What follows 'serve'. */
  readonly args: readonly string[];
  readonly user: string;
  readonly workingFolder: string;
  readonly dataFolder: string;
  /** Variables for settings that have no flag; the file may be missing. */
  readonly environmentFile: string;
}

/**
 * A unit that runs the service after each boot. Little hardens it, because the service's own sandbox needs what most
 * options take away: those with a system call filter imply NoNewPrivileges, those that cover parts of /proc keep bubblewrap
 * from mounting its own, and a private /tmp would part the service from the supervisor that outlives it.
 */
export function systemdUnit(parts: UnitParts): string {
  const { node, program, args, user, workingFolder, dataFolder, environmentFile } = parts;
  return `[Unit]
Description=Slipway
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
User=${escapeSpecifiers(user)}
WorkingDirectory=${escapeSpecifiers(workingFolder)}
ExecStart=${[node, program, "serve", ...args].map(quoteWord).join(" ")}
# Settings and secrets that have no flag, as SLIPWAY_NAME=value lines. Keep it to root, with mode 600.
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
LimitNOFILE=65536
ProtectSystem=full
ReadWritePaths=${quoteWord(`-${dataFolder}`)}

[Install]
WantedBy=multi-user.target
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
