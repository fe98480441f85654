import { boolean, date, listOf, number, text, type ValueType } from "./value-type.ts";

/** One way to call an operation. Several of a name differ in what they take. */
export interface Operation {
  readonly takes: readonly ValueType[];
  readonly gives: ValueType;
  /** The function that does it in `calculate.js`, and in snake case in `calculate.py`; undefined for plain operators. */
  readonly helper?: string;
}

const numbers = listOf(number);
const texts = listOf(text);

/** A function of the language, found by its name and by what it takes. */
function known(helper: string, takes: readonly ValueType[], gives: ValueType): Operation {
  return { takes, gives, helper };
}

function plain(takes: readonly ValueType[], gives: ValueType): Operation {
  return { takes, gives };
}

const comparable = [number, text];

/** What expressions can do, by name; operators stand under their signs. */
export const operations: ReadonlyMap<string, readonly Operation[]> = new Map<string, readonly Operation[]>([
  ["+", [plain([number, number], number), plain([text, text], text)]],
  ["-", [plain([number, number], number)]],
  ["*", [plain([number, number], number)]],
  ["/", [known("divide", [number, number], number)]],
  ["%", [known("remainder", [number, number], number)]],
  ["negative", [plain([number], number)]],
  ["power", [known("power", [number, number], number)]],
  ...["==", "!="].map(
    (sign) => [sign, [...comparable, boolean, date].map((each) => plain([each, each], boolean))] as const,
  ),
  ...["<", "<=", ">", ">="].map((sign) => [sign, comparable.map((each) => plain([each, each], boolean))] as const),
  ["and", [plain([boolean, boolean], boolean)]],
  ["or", [plain([boolean, boolean], boolean)]],
  ["not", [plain([boolean], boolean)]],
  ["if", [number, text, boolean, date].map((each) => plain([boolean, each, each], each))],
  ["abs", [known("abs", [number], number)]],
  ["floor", [known("floor", [number], number)]],
  ["ceil", [known("ceil", [number], number)]],
  ["round", [known("roundTo", [number], number), known("roundTo", [number, number], number)]],
  ["sqrt", [known("squareRoot", [number], number)]],
  ["exp", [known("exponential", [number], number)]],
  ["ln", [known("logarithm", [number], number)]],
  ["log10", [known("decimalLogarithm", [number], number)]],
  ["sin", [known("sine", [number], number)]],
  ["cos", [known("cosine", [number], number)]],
  ["tan", [known("tangent", [number], number)]],
  ["pi", [known("pi", [], number)]],
  ["min", [known("smaller", [number, number], number), known("smallest", [numbers], number)]],
  ["max", [known("larger", [number, number], number), known("largest", [numbers], number)]],
  ["sum", [known("sum", [numbers], number)]],
  ["mean", [known("mean", [numbers], number)]],
  ["median", [known("median", [numbers], number)]],
  ["mode", [known("mode", [numbers], number)]],
  ["product", [known("product", [numbers], number)]],
  ["variance", [known("variance", [numbers], number)]],
  ["population_variance", [known("populationVariance", [numbers], number)]],
  ["standard_deviation", [known("deviation", [numbers], number)]],
  ["population_standard_deviation", [known("populationDeviation", [numbers], number)]],
  ["quantile", [known("quantile", [numbers, number], number)]],
  ["covariance", [known("covariance", [numbers, numbers], number)]],
  ["correlation", [known("correlation", [numbers, numbers], number)]],
  ["histogram", [known("histogram", [numbers, number], numbers)]],
  ["sorted", [known("ascending", [numbers], numbers)]],
  ["unique", [known("distinct", [numbers], numbers), known("distinct", [texts], texts)]],
  ["first", [known("firstOf", [numbers], number), known("firstOf", [texts], text)]],
  ["last", [known("lastOf", [numbers], number), known("lastOf", [texts], text)]],
  ["running_sums", [known("runningSums", [numbers], numbers)]],
  ["split", [known("splitText", [text, text], texts)]],
  ["word_list", [known("wordList", [text], texts)]],
  ["initials", [known("initials", [text], text)]],
  ["capitalize", [known("capitalized", [text], text)]],
  ["count", [known("count", [numbers], number), known("count", [texts], number)]],
  ["length", [known("lengthOf", [text], number)]],
  ["upper", [known("upper", [text], text)]],
  ["lower", [known("lower", [text], text)]],
  ["trim", [known("trim", [text], text)]],
  [
    "reverse",
    [known("reversed", [text], text), known("backwards", [numbers], numbers), known("backwards", [texts], texts)],
  ],
  ["words", [known("wordsIn", [text], number)]],
  ["lines", [known("linesIn", [text], number)]],
  ["contains", [known("contains", [text, text], boolean)]],
  ["starts_with", [known("startsWith", [text, text], boolean)]],
  ["ends_with", [known("endsWith", [text, text], boolean)]],
  ["replace", [known("replaced", [text, text, text], text)]],
  ["repeat", [known("repeated", [text, number], text)]],
  ["join", [known("joined", [texts, text], text)]],
  ["text", [known("numberText", [number], text), known("sameText", [date], text)]],
  ["number", [known("numberIn", [text], number)]],
  ["today", [known("today", [], date)]],
  ["days_between", [known("daysBetween", [date, date], number)]],
  ["add_days", [known("addDays", [date, number], date)]],
  ["year", [known("yearOf", [date], number)]],
  ["month", [known("monthOf", [date], number)]],
  ["weekday", [known("weekdayOf", [date], number)]],
  ["is_before", [known("isBefore", [date, date], boolean)]],
  ["is_after", [known("isAfter", [date, date], boolean)]],
]);
