/** A node of a graph. */
export interface Task {
  readonly id: string;
  readonly dependsOn: readonly string[];
  /** How long it takes, in hours. */
  readonly hours: number;
  /** Of several that are ready, the smaller rank goes first. */
  readonly rank: number;
}

/** A dependency graph. Dependencies on unknown ids are ignored. */
export class Graph {
  readonly #tasks: ReadonlyMap<string, Task>;
  /** Position in the document: the order among equal ranks. */
  readonly #place: ReadonlyMap<string, number>;
  #order: readonly string[] | undefined;

  constructor(tasks: Iterable<Task>) {
    this.#tasks = new Map([...tasks].map((task) => [task.id, task]));
    this.#place = new Map([...this.#tasks.keys()].map((id, index) => [id, index]));
  }

  get ids(): readonly string[] {
    return [...this.#tasks.keys()];
  }

  dependenciesOf(id: string): readonly string[] {
    return this.#tasks.get(id)?.dependsOn.filter((other) => this.#tasks.has(other)) ?? [];
  }

  /** The ids in topological order, ready ones by rank, then as written. Members of cycles are left out. */
  get order(): readonly string[] {
    this.#order ??= this.#sort();
    return this.#order;
  }

  /** The ids that are ready once `done` is done, in order. */
  readyAfter(done: ReadonlySet<string>): readonly string[] {
    const isReady = (id: string) => !done.has(id) && this.dependenciesOf(id).every((other) => done.has(other));
    return this.ids.filter(isReady).sort((a, b) => this.#compare(a, b));
  }

  /** The longest chain by hours: the minimum duration of the whole. */
  get criticalPath(): { readonly ids: readonly string[]; readonly hours: number } {
    const ends = new Map<string, { hours: number; before: string | undefined }>();
    let last: string | undefined;
    for (const id of this.order) {
      let before: string | undefined;
      for (const other of this.dependenciesOf(id)) {
        if (before === undefined || ends.get(other)!.hours > ends.get(before)!.hours) before = other;
      }
      const start = before === undefined ? 0 : ends.get(before)!.hours;
      ends.set(id, { hours: start + this.#tasks.get(id)!.hours, before });
      if (last === undefined || ends.get(id)!.hours > ends.get(last)!.hours) last = id;
    }
    const ids: string[] = [];
    for (let id = last; id !== undefined; id = ends.get(id)!.before) ids.push(id);
    return { ids: ids.reverse(), hours: last === undefined ? 0 : ends.get(last)!.hours };
  }

  /** Dependency cycles, each from one member back to itself: `a, b, a`. */
  get cycles(): readonly (readonly string[])[] {
    const cycles: string[][] = [];
    const state = new Map<string, "open" | "done">();
    // An explicit stack: chains in documents may be longer than the call stack.
    for (const root of this.ids) {
      const path: { id: string; left: Iterator<string> }[] = [];
      const enter = (id: string) => {
        state.set(id, "open");
        path.push({ id, left: this.dependenciesOf(id).values() });
      };
      if (!state.has(root)) enter(root);
      while (path.length > 0) {
        const top = path[path.length - 1]!;
        const other = top.left.next().value;
        if (other === undefined) {
          state.set(top.id, "done");
          path.pop();
        } else if (!state.has(other)) {
          enter(other);
        } else if (state.get(other) === "open" && cycles.length < maxCycles) {
          const members = path.slice(path.findIndex(({ id }) => id === other)).map(({ id }) => id);
          cycles.push([...members, other]);
        }
      }
    }
    return cycles;
  }

  #compare(a: string, b: string): number {
    return this.#tasks.get(a)!.rank - this.#tasks.get(b)!.rank || this.#place.get(a)! - this.#place.get(b)!;
  }

  #sort(): readonly string[] {
    const waitsFor = new Map(this.ids.map((id) => [id, new Set(this.dependenciesOf(id)).size]));
    const dependents = new Map<string, string[]>();
    for (const id of this.ids) {
      for (const other of new Set(this.dependenciesOf(id))) {
        const list = dependents.get(other);
        if (list === undefined) dependents.set(other, [id]);
        else list.push(id);
      }
    }
    const ready = new Heap((a: string, b: string) => this.#compare(a, b));
    for (const [id, count] of waitsFor) if (count === 0) ready.push(id);
    const order: string[] = [];
    for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
      order.push(id);
      for (const dependent of dependents.get(id) ?? []) {
        const left = waitsFor.get(dependent)! - 1;
        waitsFor.set(dependent, left);
        if (left === 0) ready.push(dependent);
      }
    }
    return order;
  }
}

const maxCycles = 20;

/** A binary heap: the smallest comes out first. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  push(item: T): void {
    const items = this.#items;
    items.push(item);
    let at = items.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(items[at]!, items[parent]!) >= 0) return;
      [items[at], items[parent]] = [items[parent]!, items[at]!];
      at = parent;
    }
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || items.length === 0) return first;
    items[0] = last!;
    for (let at = 0; ; ) {
      let smallest = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < items.length && this.#compare(items[child]!, items[smallest]!) < 0) smallest = child;
      }
      if (smallest === at) return first;
      [items[at], items[smallest]] = [items[smallest]!, items[at]!];
      at = smallest;
    }
  }
}
