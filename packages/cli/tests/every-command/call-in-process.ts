import { Readable } from "node:stream";
import picocolors from "picocolors";
import { runCommandLine } from "../../src/run-command-line.ts";
import type { Call, Called } from "./start-command.ts";

/** Runs a command for a program, in this process, whose folder must be the call's: a process of its own takes longer than the command. */
export async function callInProcess({ args, cwd, env, input = "" }: Call): Promise<Called> {
  if (process.cwd() !== cwd) throw new Error(`A command of ${cwd} cannot run in ${process.cwd()}.`);
  const texts = { out: "", err: "" };
  const decoder = new TextDecoder();
  const code = await runCommandLine(
    {
      env,
      input: Readable.from([Buffer.from(input)]),
      colors: picocolors.createColors(false),
      out: (text) => {
        texts.out += `${text}\n`;
      },
      write: async (bytes) => {
        texts.out += decoder.decode(bytes, { stream: true });
      },
      err: (text) => {
        texts.err += `${text}\n`;
      },
      onSignal: () => undefined,
      live: () => undefined,
    },
    args,
  );
  return { code, ...texts };
}
