import type { EndpointName, Endpoints, Schema, Static } from "@slipway/contract";

/** The options of a call, derived from the endpoint's description in the contract. */
export type CallOptions<N extends EndpointName> = Common &
  Params<Endpoints[N]> &
  Query<Endpoints[N]> &
  Body<Endpoints[N]> &
  Document<Endpoints[N]> &
  Bytes<Endpoints[N]>;

interface Common {
  /** Further headers; they replace default headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** The time limit of each attempt of this call, instead of the client's. */
  readonly timeoutMs?: number | undefined;
}

type Params<E> = E extends { readonly params: infer S extends Schema } ? { readonly params: Static<S> } : unknown;
type Query<E> = E extends { readonly query: infer S extends Schema } ? { readonly query?: Static<S> } : unknown;
type Body<E> = E extends { readonly body: infer S extends Schema } ? { readonly body: Static<S> } : unknown;
type Document<E> = E extends { readonly takesDocument: true }
  ? { readonly document: string | Uint8Array<ArrayBuffer> }
  : unknown;
type Bytes<E> = E extends { readonly takesBytes: number }
  ? { readonly bytes: Blob | Uint8Array<ArrayBuffer> }
  : unknown;

/** What a call returns: parsed JSON if the endpoint has any, else text, else undefined. */
export type Answer<N extends EndpointName> = AnswerOf<Endpoints[N]["success"][number]>;

type AnswerOf<S> = S extends { readonly schema: infer J extends Schema }
  ? Static<J>
  : S extends { readonly mediaTypes: readonly string[] }
    ? string
    : undefined;

/** The arguments of a call; the options may be absent if the endpoint requires none. */
export type Arguments<N extends EndpointName> =
  Record<never, never> extends CallOptions<N> ? [options?: CallOptions<N>] : [options: CallOptions<N>];

/** The endpoints that answer a page of a list. */
export type ListName = {
  [N in EndpointName]: Answer<N> extends { next_cursor: string | null } ? N : never;
}[EndpointName];

/** What a list is a list of. */
export type Item<N extends ListName> = Extract<Answer<N>[keyof Answer<N>], readonly unknown[]>[number];

/** The options of any call, without the types of one endpoint. */
export interface AnyCallOptions extends Common {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly document?: string | Uint8Array<ArrayBuffer>;
  readonly bytes?: Blob | Uint8Array<ArrayBuffer>;
}
