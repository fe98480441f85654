import type { Lease, Settlement, TakenDelivery } from "./store.ts";

/** What became of a delivery, without its row. */
export type Ending = Omit<Settlement, keyof Lease>;

/** Writes down what becomes of deliveries. */
export interface Book {
  /** Whether it can still be written down; what cannot is not worth an attempt. */
  has(held: Held): boolean;
  settle(held: Held, ending: Ending): void;
  /** They were not tried: somebody else is to do it. */
  giveBack(held: readonly Held[]): void;
}

/** A delivery that this node is to post. */
export interface Held extends Omit<TakenDelivery, keyof Lease> {
  readonly takenAtMs: number;
  /** The webhook is parked: it is tried whether it works again. */
  readonly isTrial: boolean;
  readonly book: Book;
  /** Its row, once it has one. */
  lease?: Lease;
}
