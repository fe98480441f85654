import {
  findInControlGroup,
  heldBelow,
  MappingCounter,
  type MemoryGroup,
  memoryGroupOf,
  memoryKillsIn,
  memoryUsedIn,
  type Process,
} from "../../platform/sandbox/index.ts";
import type { ContainerEngine } from "./find-engine.ts";
import { runEngine } from "./run-engine.ts";

const maxPauseMs = 60_000;

type Held = Pick<
  Awaited<ReturnType<typeof heldBelow>>,
  "onDisk" | "files" | "sockets" | "terminals" | "watches" | "notifiers" | "mappings" | "cpuSeconds"
>;

const nothing: Held = {
  ...{ onDisk: [], files: 0, sockets: 0, terminals: 0 },
  ...{ watches: 0, notifiers: 0, mappings: 0, cpuSeconds: 0 },
};

/** What the processes of a container hold open: neither its folders nor its engine show that. */
export class ContainerProcesses {
  readonly #engine: Pick<ContainerEngine, "command">;
  readonly #name: string;
  readonly #mappingCounter = new MappingCounter();
  #first: Process | undefined;
  #asking: Promise<void> | undefined;
  #askAgainAtMs = 0;
  #pauseMs = 500;
  #cpuSeconds = 0;
  #group: MemoryGroup | undefined;
  #kills = 0;
  #killedAtMs: number | undefined;

  constructor(engine: Pick<ContainerEngine, "command">, name: string) {
    this.#engine = engine;
    this.#name = name;
  }

  /** What they had used of cores at the last look. */
  get cpuSeconds(): number {
    return this.#cpuSeconds;
  }

  /** When the kernel was seen to have ended one of them for want of memory, last; undefined if nobody saw that. */
  get killedAtMs(): number | undefined {
    return this.#killedAtMs;
  }

  /** Looks whether the kernel has ended one, which it tells only as long as the container runs; gives the memory of all. */
  lookAtMemory(): number {
    if (this.#group === undefined) return 0;
    const kills = memoryKillsIn(this.#group) ?? this.#kills;
    if (kills > this.#kills) [this.#kills, this.#killedAtMs] = [kills, performance.now()];
    return memoryUsedIn(this.#group);
  }

  /** Files on disks that have no name any more, and how much else; nothing before it has started. */
  async look(): Promise<Held> {
    if (this.#first === undefined && performance.now() >= this.#askAgainAtMs) {
      this.#asking ??= this.#ask();
      await this.#asking;
      this.#asking = undefined;
    }
    if (this.#first === undefined) return nothing;
    const held = await heldBelow(this.#first, this.#mappingCounter);
    this.#cpuSeconds = held.cpuSeconds;
    return held;
  }

  /** It asks less and less often: each question starts a program. */
  async #ask(): Promise<void> {
    const question = ["inspect", "--format", "{{.Id}} {{.State.Pid}}", this.#name];
    const answer = await runEngine(this.#engine.command, question);
    this.#askAgainAtMs = performance.now() + this.#pauseMs;
    this.#pauseMs = Math.min(maxPauseMs, 2 * this.#pauseMs);
    const said = "output" in answer ? answer.output.trim() : "";
    const [, id, pid] = /^([0-9a-f]{64}) ([1-9]\d*)$/.exec(said) ?? [];
    if (id === undefined) return;
    this.#first = await findInControlGroup(Number(pid), id);
    this.#group = this.#first && memoryGroupOf(this.#first.pid);
  }
}
