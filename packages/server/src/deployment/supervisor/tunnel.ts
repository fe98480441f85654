import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { spawnProgram } from "../../platform/process/index.ts";
import {
  type CommandStarter,
  listensAt,
  type ProcessOutcome,
  type RunningServer,
} from "../../platform/sandbox/index.ts";
import type { TunnelPlan } from "./release-plan.ts";

const maxOutputLength = 2_000;

/** Starts the ssh client instead of a program: requests to the port here reach the program there. */
export function tunnelStarter({ options, destination }: TunnelPlan, portThere: number | undefined): CommandStarter {
  return {
    startCommand: ({ env }) => {
      const way = `${env["HOST"]}:${env["PORT"]}:127.0.0.1:${portThere ?? 0}`;
      const { PATH, HOME } = process.env;
      // `cat` ends with our end of the pipe: a supervisor that is killed leaves no tunnel behind.
      const child = spawnProgram(
        "ssh",
        [...options, "-o", "ExitOnForwardFailure=yes", "-L", way, "--", destination, "cat"],
        {
          env: JSON.parse(JSON.stringify({ PATH, HOME })) as NodeJS.ProcessEnv,
          stdio: ["pipe", "ignore", "pipe"],
        },
      );
      return runningTunnel(child, portThere);
    },
  };
}

function runningTunnel(
  child: ChildProcessByStdio<Writable, null, Readable>,
  portThere: number | undefined,
): RunningServer {
  let output = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    output = (output + text).slice(-maxOutputLength);
  });
  child.stdin.on("error", () => undefined);
  const ended = new Promise<ProcessOutcome>((resolve) => {
    child.once("error", (error) => {
      output += error.message;
      resolve({ is: "exited", exitCode: 127, signal: null });
    });
    child.once("close", (exitCode, signal) => resolve({ is: "exited", exitCode, signal }));
  });
  const kill = () => void child.kill("SIGKILL");
  return {
    ended,
    ...(portThere !== undefined && { portThere }),
    peakMemoryBytes: 0,
    get isOver() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    output: async () => output,
    // It listens once it is connected: until then, any program may.
    listensAt: async (port) => (child.pid === undefined ? false : listensAt([child.pid], port)),
    kill,
    stop: async () => {
      // It holds nothing: requests on their way were answered before.
      kill();
      await ended;
    },
  };
}
