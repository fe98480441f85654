import type { Dispatcher } from "undici";
import { loadUndici } from "./load-undici.ts";

/** Connections to one origin that are kept and used again. */
export type OriginPool = Dispatcher;
/** Learns what becomes of a request, by callbacks: streams and promises would cost as much as the request itself. */
export type PoolHandler = Dispatcher.DispatchHandler;
/** A request on its way, which can be paused and aborted. */
export type PoolCall = Dispatcher.DispatchController;

interface PoolLimits {
  readonly maxConnections: number;
  readonly connectMs: number;
  /** Until the headers of the answer arrive. Its body may take as long as it likes. */
  readonly answerMs: number;
  /** Of an answer. */
  readonly maxHeaderBytes: number;
}

/** Programs that close idle connections without saying when do so after two seconds at the earliest, mostly after five. */
const idleMs = 1_500;

/** Loads what pools need, which takes a while, so that the first one opens as quickly as all others. */
export function prepareOriginPools(): void {
  loadUndici();
}

/** Opens connections to a program that we started ourselves; addresses that others name go through the `Dialler`. */
export function openOriginPool(origin: string, limits: PoolLimits): OriginPool {
  const { Pool } = loadUndici();
  return new Pool(origin, {
    connections: limits.maxConnections,
    // With more, an answer of one client could be taken for that of another.
    pipelining: 1,
    connectTimeout: limits.connectMs,
    headersTimeout: limits.answerMs,
    maxHeaderSize: limits.maxHeaderBytes,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    allowH2: false,
  });
}
