import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { shortened } from "../../platform/one-line.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import { limitMessage, type Sandbox, timeMessage } from "../../platform/sandbox/index.ts";
import type { WrittenStep } from "./flow-step.ts";
import { forwardPorts } from "./forward-ports.ts";
import type { FlowEnd, FlowsToCarryOut, Message } from "./inside/messages.ts";

type BrowserSandbox = Pick<Sandbox, "startProcess" | "found" | "temporary">;

interface FlowsToRun {
  readonly flows: readonly (readonly WrittenStep[])[];
  readonly browser: string;
  /** Of the software. */
  readonly url: string;
  /** The ports of its services, which its pages may reach too. */
  readonly servicePorts: readonly number[];
  readonly signal: AbortSignal;
  readonly stepMs?: number;
  readonly flowMs?: number;
}

/** A flow that the browser did not survive. */
export interface LostFlow {
  /** The step that it ended in. */
  readonly step: number;
  readonly why: string;
  /** The page used more than a browser may, which is the page's fault. */
  readonly isLimit: boolean;
}

/** How each flow ended, and the folder with its files. */
interface RanFlows {
  /** In the order of the flows. */
  readonly ends: readonly (FlowEnd | LostFlow)[];
  readonly folder: string;
  remove(): Promise<void>;
}

/** Generous: a busy machine is no fault of the software. */
const defaultStepMs = 10_000;
const defaultFlowMs = 120_000;
/** For the start of the browser, and for the pictures of each flow. */
const graceMs = 60_000;
const maxRunMs = 15 * 60_000;

const limits = {
  memoryBytes: 2 * 1024 ** 3,
  cpuCores: 2,
  processes: 100,
  diskBytes: 512 * 1024 ** 2,
  outputBytes: 64 * 1024 ** 2,
};

const program = fileURLToPath(new URL("./inside/flow-program.ts", import.meta.url));

/** Carries out flows in a browser, in the sandbox: in one that contains it, its pages reach the software and nothing else. */
export async function runFlows(sandbox: BrowserSandbox, toRun: FlowsToRun): Promise<RanFlows> {
  const { flows, browser, url, servicePorts, signal, stepMs = defaultStepMs, flowMs = defaultFlowMs } = toRun;
  const isContained = sandbox.found.kind === "bubblewrap";
  const ports = [...new Set([Number(new URL(url).port), ...servicePorts])];
  const folder = await sandbox.temporary.make("flows");
  const remove = () => removeFolder(folder);
  const forwarded = isContained ? await forwardPorts(sandbox.temporary, ports) : undefined;
  const toDo: Omit<FlowsToCarryOut, "flows" | "first"> = {
    ...{ program: browser, origin: new URL(url).origin, hasOwnSandbox: !isContained, ports, stepMs, flowMs },
    ...(forwarded !== undefined && { socketFolder: forwarded.folder }),
  };
  try {
    const ends: (FlowEnd | LostFlow)[] = [];
    // After a flow that ends the browser, or keeps it busy, the next ones get another.
    while (ends.length < flows.length) {
      const first = ends.length;
      const ran = await runOnce(sandbox, folder, { ...toDo, first, flows: flows.slice(first) }, signal);
      ends.push(...ran.ends);
      if (ran.lost !== undefined) ends.push(ran.lost);
      // One that cannot even be started is not tried again and again. What ended it in a flow may be that flow's page.
      if (ran.lost !== undefined && !ran.hasBegun && !ran.lost.isLimit)
        while (ends.length < flows.length) ends.push({ ...ran.lost, step: 0 });
    }
    return { ends, folder, remove };
  } catch (error) {
    await remove();
    throw error;
  } finally {
    await forwarded?.close();
  }
}

async function runOnce(
  sandbox: BrowserSandbox,
  folder: string,
  toDo: FlowsToCarryOut,
  signal: AbortSignal,
): Promise<{ readonly ends: readonly FlowEnd[]; readonly hasBegun: boolean; readonly lost?: LostFlow }> {
  const { program: browser, socketFolder, flows, flowMs } = toDo;
  const isContained = socketFolder !== undefined;
  const wallMs = Math.min(maxRunMs, graceMs + flows.length * (flowMs + graceMs));
  const child = await sandbox.startProcess({
    runId: randomUUID(),
    command: [process.execPath, program],
    folder,
    readable: [...readable(browser), ...(isContained ? [socketFolder] : [])],
    network: isContained ? "loopback" : "all",
    stdin: "pipe",
    limits: { ...limits, wallMs },
    graceMs: 0,
    signal,
  });
  child.stdin?.end(JSON.stringify(toDo));
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-2_000);
  });
  const ends: FlowEnd[] = [];
  let step = 0;
  let hasBegun = false;
  try {
    for await (const message of messagesOf(child.stdout)) {
      hasBegun = true;
      if (message.is === "step") step = message.step;
      else {
        step = 0;
        ends.push(message);
      }
    }
  } catch (error) {
    // It would go on until its limit, and nobody would listen.
    child.kill();
    if (!(error instanceof SyntaxError)) throw error;
    errors = "It said what is no message.";
  }
  const end = await child.ended;
  signal.throwIfAborted();
  if (ends.length === flows.length || ends.at(-1)?.isStuck === true) return { ends, hasBegun };
  const broken = limitMessage("The browser", end, { memorySetting: undefined });
  const late = end.is === "timeout" ? timeMessage("The browser", `${wallMs / 1000} seconds`) : undefined;
  const why = broken ?? late ?? errors.trim().split("\n").at(-1) ?? "";
  return { ends, hasBegun, lost: { step, why: shortened(why, 300), isLimit: broken !== undefined } };
}

/**
 * The messages of whole lines: of the last one there may be a part only, if the program was ended meanwhile. Only a line feed
 * ends a line: `readline` takes U+2028 for an end too, which pages may show.
 */
async function* messagesOf(stdout: Readable): AsyncGenerator<Message> {
  let parts: string[] = [];
  for await (const chunk of stdout.setEncoding("utf8") as AsyncIterable<string>) {
    const [rest, ...begun] = chunk.split("\n");
    parts.push(rest!);
    for (const next of begun) {
      yield JSON.parse(parts.join("")) as Message;
      parts = [next];
    }
  }
}

/** What the program needs beside the system's files. */
function readable(browser: string): readonly string[] {
  const driver = dirname(fileURLToPath(import.meta.resolve("playwright-core/package.json")));
  const isVisible = browser.startsWith("/usr/");
  return [dirname(program), driver, ...(isVisible ? [] : [dirname(browser)])];
}
