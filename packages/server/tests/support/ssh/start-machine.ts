import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../../../tools/free-port.ts";
import { readPid } from "../read-pid.ts";
import { until } from "../until.ts";
import { whenDone } from "../when-done.ts";

const sshd = "/usr/sbin/sshd";

/** Why no machine can be had here; undefined if one can. */
export const whyNoMachine = spawnSync(sshd, ["-V"]).status === 0 ? undefined : "openssh-server is not installed";

/** Another machine, as far as ssh can tell: a server on loopback with keys of its own, and a stand-in for systemd. */
export async function startMachine() {
  const folder = mkdtempSync(join(tmpdir(), "slipway-machine-"));
  const home = join(folder, "home");
  const programs = join(folder, "bin");
  for (const one of [home, programs]) mkdirSync(one);
  for (const name of ["host", "key", "stranger"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", join(folder, name)]);
  copyFileSync(fileURLToPath(new URL("systemctl.sh", import.meta.url)), join(programs, "systemctl"));
  writeFileSync(join(programs, "journalctl"), `#!/bin/sh\nfor unit; do :; done\ntail -n 5 "$HOME/units/$unit.log"\n`);
  for (const name of ["systemctl", "journalctl"]) chmodSync(join(programs, name), 0o755);
  const port = await freePort();
  const path = [programs, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  writeFileSync(
    join(folder, "config"),
    [
      ...[`Port ${port}`, "ListenAddress 127.0.0.1", `HostKey ${join(folder, "host")}`, "PidFile none"],
      ...[`AuthorizedKeysFile ${join(folder, "key.pub")}`, "StrictModes no", "UsePAM no", "PasswordAuthentication no"],
      ...["PermitRootLogin prohibit-password", `SetEnv HOME=${home} PATH=${path}`, ""],
    ].join("\n"),
  );
  // The server asks for it when it runs as root.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
  let server = spawn(sshd, ["-D", "-e", "-f", join(folder, "config")], { stdio: "ignore" });
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
  const isUp = () => until(answers);
  await isUp();
  const state = join(home, "units");
  whenDone(() => {
    server.kill();
    for (const file of existsSync(state) ? readdirSync(state) : []) {
      if (!file.endsWith(".pid")) continue;
      const pid = readPid(join(state, file));
      try {
        if (pid !== undefined) process.kill(-pid, "SIGKILL");
      } catch {
        // It has ended.
      }
    }
    rmSync(folder, { recursive: true, force: true });
  });
  const root = join(folder, "srv");
  return {
    root,
    home,
    /** The units that run now. */
    running: () =>
      (existsSync(state) ? readdirSync(state) : [])
        .filter((file) => file.endsWith(".pid"))
        .map((file) => file.replace(".service.pid", "")),
    settings: {
      ...{ host: "127.0.0.1", port, user: userInfo().username, key: join(folder, "key"), folder: root, scope: "user" },
      host_key: readFileSync(join(folder, "host.pub"), "utf8").trim(),
      ports: "21000-21999",
    },
    /** A key that is not the machine's. */
    strangersKey: readFileSync(join(folder, "stranger.pub"), "utf8").trim(),
    /** Nobody gets in any more, and whoever is in is cut off. */
    stopServer: async () => {
      const sessions = descendantsOf(server.pid!);
      server.kill();
      for (const pid of sessions) {
        try {
          process.kill(pid);
        } catch {
          // It ended with its parent.
        }
      }
      await until(async () => !(await answers()));
    },
    startServer: async () => {
      server = spawn(sshd, ["-D", "-e", "-f", join(folder, "config")], { stdio: "ignore" });
      await isUp();
    },
  };
}

/** What a process has started, as long as whoever started it lives: programs of units have left. */
function descendantsOf(pid: number): number[] {
  // It ends with 1 where there are none.
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
  const pids = stdout
    .trim()
    .split("\n")
    .map(Number)
    .filter((one) => one > 0);
  return pids.flatMap((one) => [one, ...descendantsOf(one)]);
}
