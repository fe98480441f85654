import { useEffect, useState } from "preact/hooks";

/** A value that parts of the page follow. */
export class Value<T> {
  #value: T;
  readonly #readers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const read of [...this.#readers]) read();
  }

  subscribe(read: () => void): () => void {
    this.#readers.add(read);
    return () => this.#readers.delete(read);
  }
}

/** Follows a value in a component. */
export function useValue<T>(value: Value<T>): T {
  const [seen, setSeen] = useState(() => value.get());
  useEffect(() => {
    const read = () => setSeen(() => value.get());
    read();
    return value.subscribe(read);
  }, [value]);
  return seen;
}
