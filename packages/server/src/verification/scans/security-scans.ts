import type { CompleteSpec } from "@slipway/spec";
import type { Clock } from "../../platform/clock.ts";
import { sentence } from "../../platform/sentence.ts";
import { type Advisories, loadAdvisories } from "./dependencies/advisories.ts";
import { FileScanner } from "./file-scanner.ts";
import type { ScanResult } from "./finding.ts";
import { scanProject } from "./scan-project.ts";

interface Deps {
  readonly clock: Clock;
  /** Fetches from addresses that the operator allows. */
  readonly dial: (url: string, init?: RequestInit) => Promise<Response>;
  /** Where the operator keeps known weaknesses of packages: a folder or a URL. */
  readonly advisoriesAt: string | undefined;
  /** Left out: one of its own, whose threads end when there is nothing to scan. */
  readonly scanner?: FileScanner | undefined;
}

interface ToScan {
  readonly folder: string;
  readonly document: Pick<CompleteSpec, "guardrails" | "name">;
  readonly signal: AbortSignal;
}

/** After so long without a scan the threads end, and free their memory. */
const idleMs = 30_000;
const advisoriesMaxAgeMs = 24 * 60 * 60 * 1000;
const maxLoadMs = 120_000;
const noAdvisories = "The operator has set no advisory database (security_advisories).";

/** Scans results, in two threads for all of them. */
export class SecurityScans {
  readonly #deps: Deps;
  readonly #scanner: FileScanner;
  #running = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #advisories: { readonly at: number; readonly loaded: Promise<Advisories | string> } | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#scanner = deps.scanner ?? new FileScanner();
  }

  /** Scans files as they were committed; it runs nothing of the project. */
  async scan(toScan: ToScan): Promise<ScanResult> {
    clearTimeout(this.#idleTimer);
    this.#running += 1;
    try {
      const advisories = await this.#findAdvisories();
      return await scanProject({ ...toScan, advisories, now: this.#deps.clock.now(), scanner: this.#scanner });
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#idleTimer = setTimeout(() => this.close(), idleMs).unref();
    }
  }

  /** Ends the threads, unless others use them too. */
  close(): void {
    clearTimeout(this.#idleTimer);
    if (this.#deps.scanner === undefined) this.#scanner.close();
  }

  /** Loaded when first needed, and again when they are a day old; a text says why there are none. */
  #findAdvisories(): Promise<Advisories | string> {
    const { advisoriesAt, dial } = this.#deps;
    if (advisoriesAt === undefined) return Promise.resolve(noAdvisories);
    const now = performance.now();
    if (this.#advisories === undefined || now - this.#advisories.at > advisoriesMaxAgeMs) {
      const signal = AbortSignal.timeout(maxLoadMs);
      const loaded = loadAdvisories({ dial, signal }, advisoriesAt).catch((error: unknown) => {
        // The next scan tries again.
        this.#advisories = undefined;
        return sentence(`The advisory database cannot be read: ${(error as Error).message}`);
      });
      this.#advisories = { at: now, loaded };
    }
    return this.#advisories.loaded;
  }
}
