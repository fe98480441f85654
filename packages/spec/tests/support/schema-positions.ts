/** Where in a document the known keys and words of a JSON Schema may stand, and how YAML is written up to there. */

export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly (string | boolean)[];
  readonly enumDescriptions?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly allOf?: readonly { readonly if: Schema; readonly then: Schema }[];
  readonly const?: string;
}

/** A key on the way to a value, or an item of a list. */
type Step = string | typeof item;
export const item = Symbol("an item of a list");

/** A map with known keys. */
interface KeysPlace {
  /** The lines that a document needs for this place to exist: its type. */
  readonly before: string;
  readonly path: readonly Step[];
  readonly keys: Readonly<Record<string, Schema>>;
}

/** A value that is one of some words. */
interface WordsPlace {
  readonly before: string;
  readonly path: readonly Step[];
  readonly words: readonly { readonly word: string | boolean; readonly explanation: string }[];
}

interface Places {
  readonly keys: readonly KeysPlace[];
  readonly words: readonly WordsPlace[];
}

/** A name that an author might choose. Not one letter: there the language server loses its way. */
const chosenName = "chosen-name";

/** Every place of a document where the schema knows which keys or words may stand. */
export function placesOf(root: Schema): Places {
  const keys: KeysPlace[] = [];
  const words: WordsPlace[] = [];
  let before = "";
  visit(root, [], new Set());
  for (const { if: condition, then } of root.allOf ?? []) {
    before = `outcome_type: ${condition.properties?.["outcome_type"]?.const}\n`;
    visit(follow(root, { $ref: then.$ref! }), [], new Set());
  }
  return { keys, words };

  function visit(written: Schema, path: readonly Step[], above: ReadonlySet<string>): void {
    // A part that contains itself is looked at once on each way.
    if (written.$ref !== undefined && above.has(written.$ref)) return;
    const inside = written.$ref === undefined ? above : new Set([...above, written.$ref]);
    const schema = follow(root, written);
    if (schema.properties) keys.push({ before, path, keys: schema.properties });
    if (schema.enum) {
      const explanations = schema.enumDescriptions ?? [];
      words.push({
        before,
        path,
        words: schema.enum.map((word, at) => ({ word, explanation: explanations[at] ?? "" })),
      });
    }
    for (const choice of schema.anyOf ?? []) visit(choice, path, inside);
    for (const [key, value] of Object.entries(schema.properties ?? {})) visit(value, [...path, key], inside);
    if (schema.additionalProperties) visit(schema.additionalProperties, [...path, chosenName], inside);
    if (schema.items) visit(schema.items, [...path, item], inside);
  }
}

/** The schema with its reference followed; what stands beside a reference holds. */
export function follow(root: Schema, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  const part = root.$defs?.[$ref.replace("#/$defs/", "")];
  if (!part) throw new Error(`the schema has no part ${$ref}`);
  return { ...follow(root, part), ...beside };
}

/** The schema itself, or its alternatives where it has some. */
export function alternatives(root: Schema, schema: Schema): readonly Schema[] {
  const { anyOf, ...rest } = follow(root, schema);
  return anyOf ? anyOf.flatMap((choice) => alternatives(root, choice)) : [rest];
}

/** A value that the schema allows, as it may stand behind a key. */
export function sampleOf({ enum: words, examples, type }: Schema): string {
  const byType: Record<string, unknown> = { boolean: true, number: 1, integer: 1, array: [], object: {} };
  return JSON.stringify(words?.[0] ?? examples?.[0] ?? byType[type ?? ""] ?? "text");
}

/** YAML that leads to a place: the lines above it, how the line there begins, and how further ones do. */
export function leadTo(path: readonly Step[]): { readonly text: string; readonly next: string } {
  let above = "";
  let line = "";
  let next = "";
  for (const step of path) {
    next += "  ";
    if (step === item) {
      line += "- ";
    } else {
      above += `${line}${step}:\n`;
      line = next;
    }
  }
  return { text: above + line, next };
}

/** A path as people write it: `acceptance.tests[].type`. */
export function nameOf(path: readonly Step[]): string {
  const steps = path.map((step) => (step === item ? "[]" : `.${step}`));
  return steps.join("").replace(/^\./, "") || "the document";
}
