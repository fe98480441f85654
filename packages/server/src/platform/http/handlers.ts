import type { Endpoint, EndpointName, Endpoints } from "@slipway/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import type { Principal } from "./principal.ts";

/** What a handler answers; how it travels is not its concern. */
export interface Answer {
  readonly status: number;
  /** JSON, or the very bytes, or a stream of them. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the ETag is made of; the answer changes only when this does. */
  readonly version?: string;
}

type Part<E, K extends string> = E extends { readonly [P in K]: infer S extends TSchema } ? Static<S> : undefined;
type Caller<E> = E extends { readonly access: { readonly kind: "open" | "metrics" } } ? undefined : Principal;

/** A request that was let in and checked. */
export interface Call<E extends Endpoint = Endpoint> {
  readonly params: Part<E, "params">;
  readonly query: Part<E, "query">;
  readonly body: Part<E, "body">;
  /** The bytes of a specification document, where the endpoint takes one. */
  readonly document: E extends { readonly takesDocument: true } ? Uint8Array : undefined;
  /** The body as it comes, where the endpoint takes any bytes. */
  readonly bytes: E extends { readonly takesBytes: number } ? AsyncIterable<Uint8Array> : undefined;
  readonly principal: Caller<E>;
  /** Whether the caller would still be let in: answers that go on for long ask again. */
  readonly isStillAdmitted: () => Promise<boolean>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Answers a call, or nothing where it has taken the connection over. */
export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Answer | undefined>;

/** One handler for every endpoint of the contract: a missing one does not compile. */
export type Handlers = { readonly [N in EndpointName]: Handler<Endpoints[N]> };
