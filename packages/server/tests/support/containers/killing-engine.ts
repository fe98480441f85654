import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** When a service is killed: before or after the engine has done something. */
export interface Moment {
  readonly when: "before" | "after";
  /** The engine's own word for it: `build`, `run`, … */
  readonly verb: string;
}

/** An engine that kills a service in the middle of a release, once for each time it is told to. */
export class KillingEngine {
  readonly program: string;
  readonly #folder: string;

  constructor(folder: string, engine: readonly string[]) {
    this.#folder = folder;
    this.program = join(folder, "engine.sh");
    const quoted = engine.map((word) => `'${word}'`).join(" ");
    writeFileSync(
      this.program,
      `#!/bin/sh
echo "$1" >> ${folder}/verbs
end_service() {
  # Whoever takes the order away carries it out, and nobody else.
  mv ${folder}/$1-$2 ${folder}/taken 2> /dev/null && kill -9 "$(cat ${folder}/taken)" && rm ${folder}/taken
}
end_service before "$1"
${quoted} "$@"
code=$?
end_service after "$1"
exit $code
`,
    );
    chmodSync(this.program, 0o755);
  }

  /** Kills the process at the next such moment. */
  killAt({ when, verb }: Moment, pid: number): void {
    writeFileSync(join(this.#folder, `${when}-${verb}`), `${pid}\n`);
  }

  /** Takes back what it was told, if the moment has not come. */
  takeBack({ when, verb }: Moment): boolean {
    const path = join(this.#folder, `${when}-${verb}`);
    const isOpen = existsSync(path);
    rmSync(path, { force: true });
    return isOpen;
  }

  /** What the engine was asked for since it was last read, each word once. */
  takeVerbs(): string[] {
    const path = join(this.#folder, "verbs");
    const verbs = readFileSync(path, "utf8").trim().split("\n");
    rmSync(path);
    return [...new Set(verbs)];
  }
}
