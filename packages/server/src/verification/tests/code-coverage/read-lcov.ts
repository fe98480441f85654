import type { RawCoverage, RawFile } from "./raw-coverage.ts";

/** Reads an lcov trace file. */
export function readLcov(text: string, { listsEveryLine }: { readonly listsEveryLine: boolean }): RawCoverage {
  const files: RawFile[] = [];
  let path: string | undefined;
  let lines = new Map<number, number>();
  let functions = new ToldFunctions();
  for (const row of text.split("\n")) {
    const [, kind, value = ""] = /^(SF|DA|FN|FNDA|FNL|FNA):([\s\S]*?)\r?$/.exec(row) ?? [];
    if (kind === "SF") {
      path = value;
      lines = new Map();
      functions = new ToldFunctions();
    } else if (kind === "DA") {
      const [line = 0, hits = 0] = value.split(",").map(Number);
      lines.set(line, (lines.get(line) ?? 0) + count(hits));
    } else if (kind === "FN") {
      // Newer tools write where it ends, too.
      const [, line = "", name = ""] = /^([^,]*),(?:\d+,)?([\s\S]*)$/.exec(value) ?? ["", value];
      functions.add(name, Number(line));
    } else if (kind === "FNDA") {
      const [hits = "", name = ""] = splitOnce(value);
      functions.count(name, count(Number(hits)));
    } else if (kind === "FNL") {
      // Since lcov 2.2: a place with a number, and names for it.
      const [place = "", line = ""] = value.split(",");
      functions.locate(place, Number(line));
    } else if (kind === "FNA") {
      const [place, rest] = splitOnce(value);
      const [hits, name] = splitOnce(rest);
      functions.countAt(place, name, count(Number(hits)));
    } else if (row.startsWith("end_of_record") && path !== undefined) {
      files.push({ path, lines, functions: functions.all });
      path = undefined;
    }
  }
  return { method: "lcov", listsEveryLine, files };
}

/** The functions of a file. Methods of several classes have one name: how often they ran is told in their order. */
class ToldFunctions {
  readonly all: { name: string; line: number; hits: number }[] = [];
  readonly #byName = new Map<string, { readonly places: number[]; counted: number }>();
  readonly #located = new Map<string, { name: string; line: number; hits: number }>();

  add(name: string, line: number): void {
    const same = this.#named(name);
    const [first] = same.places;
    // How often it ran was told before.
    if (first !== undefined && this.all[first]!.line === 0) this.all[first]!.line = line;
    else {
      same.places.push(this.all.length);
      this.all.push({ name, line, hits: 0 });
    }
  }

  count(name: string, hits: number): void {
    const same = this.#named(name);
    if (same.places.length === 0) this.add(name, 0);
    const place = same.places[Math.min(same.counted, same.places.length - 1)]!;
    this.all[place]!.hits += hits;
    same.counted += 1;
  }

  locate(place: string, line: number): void {
    const one = { name: "", line, hits: 0 };
    this.#located.set(place, one);
    this.all.push(one);
  }

  countAt(place: string, name: string, hits: number): void {
    if (!this.#located.has(place)) this.locate(place, 0);
    const one = this.#located.get(place)!;
    one.name ||= name;
    one.hits = Math.max(one.hits, hits);
  }

  #named(name: string) {
    const known = this.#byName.get(name) ?? { places: [], counted: 0 };
    this.#byName.set(name, known);
    return known;
  }
}

function splitOnce(value: string): [string, string] {
  const comma = value.indexOf(",");
  return comma < 0 ? [value, ""] : [value.slice(0, comma), value.slice(comma + 1)];
}

/** Counters in a file may be anything. */
function count(hits: number): number {
  return Number.isFinite(hits) && hits > 0 ? 1 : 0;
}
