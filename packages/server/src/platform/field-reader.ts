/** The position of a map, such as `agents[0]`, in a file. */
interface MapPosition {
  readonly path: string;
  readonly file: string;
}

interface TextRules {
  readonly isRequired?: boolean;
  readonly pattern?: RegExp;
  /** The pattern in words, after "must be". */
  readonly form?: string;
  readonly mayBeEmpty?: boolean;
}

interface NumberRules {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

const maxTextLength = 4096;
const maxTexts = 500;

/**
 * Reads the keys of a map in the config file, and collects every problem with its position. Messages never contain values,
 * which may be secret.
 */
export class FieldReader {
  readonly isMap: boolean;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #position: MapPosition;
  readonly #problems: string[];

  constructor(value: unknown, position: MapPosition, problems: string[]) {
    this.#position = position;
    this.#problems = problems;
    this.isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!this.isMap) this.problem("", "must be a map of 'key: value' lines.");
    this.#fields = this.isMap ? (value as Record<string, unknown>) : {};
  }

  /** Adds a problem with a key, or with the whole map if the key is empty. */
  problem(key: string, message: string): void {
    const { path, file } = this.#position;
    this.#problems.push(`${path}${key === "" ? "" : `.${key}`} in ${file} ${message}`);
  }

  has(key: string): boolean {
    return this.#fields[key] !== undefined && this.#fields[key] !== null;
  }

  onlyKeys(keys: readonly string[], what: string): void {
    for (const key of Object.keys(this.#fields)) {
      if (!keys.includes(key)) this.problem(key, `is not a key of ${what}. Known keys: ${keys.join(", ")}.`);
    }
  }

  text(key: string, rules: TextRules = {}): string | undefined {
    if (!this.has(key)) {
      if (rules.isRequired === true) this.problem(key, "is missing.");
      return undefined;
    }
    const value = this.#fields[key];
    if (isText(value, rules)) return value;
    this.problem(key, `must be ${rules.form ?? `a text of at most ${maxTextLength} characters`}.`);
    return undefined;
  }

  texts(key: string, rules: TextRules = {}): readonly string[] {
    if (!this.has(key)) return [];
    const value = this.#fields[key];
    // YAML turns unquoted numbers and words such as `true` into other types.
    if (Array.isArray(value) && value.length <= maxTexts && value.every((item) => isText(item, rules))) return value;
    this.problem(key, `must be a list of ${rules.form ?? "texts; put numbers and words such as 'true' in quotes"}.`);
    return [];
  }

  word<W extends string>(key: string, words: readonly W[], { isRequired = false } = {}): W | undefined {
    if (!this.has(key)) {
      if (isRequired) this.problem(key, `is missing. It is one of ${words.join(", ")}.`);
      return undefined;
    }
    const found = words.find((word) => word === this.#fields[key]);
    if (found === undefined) this.problem(key, `must be one of ${words.join(", ")}.`);
    return found;
  }

  number(key: string, { min, max, isWhole = false }: NumberRules): number | undefined {
    if (!this.has(key)) return undefined;
    const value = this.#fields[key];
    const isNumber = typeof value === "number" && value >= min && value <= max;
    if (isNumber && (!isWhole || Number.isInteger(value))) return value;
    this.problem(key, `must be a ${isWhole ? "whole " : ""}number from ${min} to ${max}.`);
    return undefined;
  }

  /** An HTTP URL without credentials, which belong into an environment variable. */
  url(key: string): string | undefined {
    const text = this.text(key);
    if (text === undefined) return undefined;
    const url = URL.parse(text);
    if (url === null || !["http:", "https:"].includes(url.protocol)) {
      this.problem(key, "must be an address such as https://models.example/v1.");
      return undefined;
    }
    if (url.username === "" && url.password === "") return text;
    this.problem(key, "must not contain credentials: name the variable with the key in 'key_env'.");
    return undefined;
  }

  nested(key: string): FieldReader {
    const { path, file } = this.#position;
    return new FieldReader(this.has(key) ? this.#fields[key] : {}, { path: `${path}.${key}`, file }, this.#problems);
  }
}

function isText(value: unknown, { pattern, mayBeEmpty = false }: TextRules): value is string {
  if (typeof value !== "string" || value.length > maxTextLength || value.includes("\0")) return false;
  return (mayBeEmpty || value.trim() !== "") && (pattern?.test(value) ?? true);
}
