import { LatencyHistogram } from "./latency-histogram.ts";

/** The requests of a release, since the proxy routes to it. */
export interface ReleaseTraffic {
  readonly release: string;
  /** All that ended, whichever way. */
  readonly requests: number;
  /** The program answered with a status of 500 or more. */
  readonly failed: number;
  /** The proxy had to answer in the program's place, or to cut an answer. */
  readonly dropped: number;
  /**
   * From the end of the request to that of the answer; to its beginning for event streams, upgraded connections, and clients
   * that read more slowly than the program writes.
   */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly inFlight: number;
}

/** How a request ended. */
export type Outcome = "answered" | "failed" | "dropped" | "client left";

/** Counts the requests of a release. */
export class TrafficCount {
  readonly #latencies = new LatencyHistogram();
  #requests = 0;
  #failed = 0;
  #dropped = 0;

  add(outcome: Outcome, ms: number): void {
    this.#requests += 1;
    switch (outcome) {
      case "answered":
        this.#latencies.add(ms);
        return;
      case "failed":
        this.#failed += 1;
        this.#latencies.add(ms);
        return;
      case "dropped":
        this.#dropped += 1;
        return;
      case "client left":
        return;
    }
  }

  report(release: string, inFlight: number): ReleaseTraffic {
    const latencies = this.#latencies;
    return {
      release,
      requests: this.#requests,
      failed: this.#failed,
      dropped: this.#dropped,
      p50Ms: latencies.percentile(0.5),
      p99Ms: latencies.percentile(0.99),
      inFlight,
    };
  }
}
