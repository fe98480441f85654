import { pointerPart } from "./pointer.ts";

/** A document, and which of its values nobody has read. */
export interface TrackedReads<T> {
  readonly value: T;
  /** JSON Pointers of the values below these keys that nobody has read, the outermost of each. */
  unread(keys: readonly string[]): readonly string[];
}

/** Notes each value of a document that is read through it: each key of a map, and each item of a list. */
export function trackReads<T extends object>(document: T): TrackedReads<T> {
  const proxies = new WeakMap<object, object>();
  const read = new WeakMap<object, Set<string>>();
  const track = (target: object): object => {
    const known = proxies.get(target);
    if (known !== undefined) return known;
    const seen = new Set<string>();
    read.set(target, seen);
    const proxy = new Proxy(target, {
      get(from, key) {
        const value: unknown = Reflect.get(from, key);
        if (typeof key === "string" && Object.hasOwn(from, key)) seen.add(key);
        return isObject(value) ? track(value) : value;
      },
      getOwnPropertyDescriptor(from, key) {
        const descriptor = Reflect.getOwnPropertyDescriptor(from, key);
        return descriptor && { ...descriptor, configurable: true };
      },
    });
    proxies.set(target, proxy);
    return proxy;
  };
  const unreadIn = (value: object, pointer: string): string[] =>
    Object.entries(value).flatMap(([key, child]) => {
      const at = `${pointer}/${pointerPart(key)}`;
      if (read.get(value)?.has(key) !== true) return [at];
      return isObject(child) ? unreadIn(child, at) : [];
    });
  return {
    value: track(document) as T,
    unread: (keys) =>
      keys.flatMap((key) => {
        const value: unknown = Reflect.get(document, key);
        const at = `/${pointerPart(key)}`;
        if (read.get(document)?.has(key) !== true) return [at];
        return isObject(value) ? unreadIn(value, at) : [];
      }),
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
