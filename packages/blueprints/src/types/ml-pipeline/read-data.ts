import type { TypeKeys } from "@slipway/spec";
import type { Unmet } from "../../plugin.ts";
import { drawRows } from "./draw-rows.ts";
import { loadProgram, type Row } from "./load-program.ts";

type Keys = TypeKeys<"ml-pipeline">;
export type Data = NonNullable<Keys["data"]>;

/** Where the rows come from, and the rows themselves if the document has them. */
export interface Source {
  readonly kind: "given" | "file" | "synthetic" | "none";
  readonly path: string | null;
  readonly content?: string;
  /** Some of the rows, where they were invented: what holds of them holds of all. */
  readonly sample?: readonly Row[];
  readonly unmet: readonly Unmet[];
}

/** Finds the rows. The document gives them, names a file, or says that they are to be invented; nothing else does. */
export function readSource(data: Data | undefined, outputs: Keys["pipeline"]["outputs"]): Source {
  if (data === undefined) return missing("/description");
  const named = sources.filter((source) => data[source] !== undefined);
  const [first] = named;
  if (first === undefined) return missing("/data/label");
  const unmet = named.slice(1).map((source) => ({
    pointer: `/data/${source}`,
    reason: `The rows are those of 'data.${first}': a model learns from one source.`,
  }));
  switch (first) {
    case "csv":
      return { kind: "given", path: outputs.data ?? "data/rows.csv", content: data.csv!, unmet };
    case "rows": {
      // A file of this ending is read as JSON.
      const path = (outputs.data ?? "data/rows.json").replace(/(?:\.json)?$/, ".json");
      return { kind: "given", path, content: jsonOf(data.rows!), unmet };
    }
    case "file":
      return { kind: "file", path: data.file!, unmet };
    case "synthetic": {
      const drawn = drawRows(data.synthetic!, data.label);
      const content = loadProgram().writeCsv(drawn.rows);
      const path = outputs.data ?? "data/rows.csv";
      const sample = sampleOf(drawn.rows, data.label);
      return { kind: "synthetic", path, content, sample, unmet: [...unmet, ...drawn.unmet] };
    }
  }
}

const sources = ["csv", "rows", "file", "synthetic"] as const;

function missing(pointer: string): Source {
  const reason =
    "There is nothing to learn from. Give the rows in 'data.csv' or 'data.rows', name a file of the project in " +
    "'data.file', or have them invented by 'data.synthetic'.";
  return { kind: "none", path: null, unmet: [{ pointer, reason }] };
}

/** The first rows, and one of each class: trying all of them would take most of the time of a build. */
function sampleOf(rows: readonly Row[], label: string): readonly Row[] {
  const ofEach = new Map(rows.map((row) => [row[label], row]));
  return [...rows.slice(0, 100), ...[...ofEach.values()].slice(0, 100)];
}

function jsonOf(rows: NonNullable<Data["rows"]>): string {
  return `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]\n`;
}
