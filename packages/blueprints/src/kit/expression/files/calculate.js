/** What cannot be worked out, such as a division by zero. */
export class CalculationError extends RangeError {}

/** A name that a table does not have. */
export class UnknownName extends CalculationError {}

/** What a table has under a name. */
export function find(table, name, what) {
  if (Object.hasOwn(table, name)) return table[name];
  throw new UnknownName(`'${name}' is not in ${what}, which has ${Object.keys(table).join(", ")}`);
}
//: find({ a: 1 }, "a", "letters") => 1
//: find({ a: 1 }, "b", "letters") !! UnknownName

/** A number for sure: a result that is too large or has no value is told instead of shown. */
export function finite(value) {
  if (Number.isFinite(value)) return value;
  throw new CalculationError("the result is no number that can be shown");
}
//: finite(1) => 1
//: finite(Infinity) !! CalculationError

export function divide(a, b) {
  if (b === 0) throw new CalculationError("nothing can be divided by zero");
  return a / b;
}
//: divide(6, 3) => 2
//: divide(1, 0) !! CalculationError

/** What a division leaves; it has the sign of the divisor. */
export function remainder(a, b) {
  if (b === 0) throw new CalculationError("nothing can be divided by zero");
  return ((a % b) + b) % b;
}
//: remainder(-7, 3) => 2
//: remainder(1, 0) !! CalculationError

export function power(base, exponent) {
  return finite(base ** exponent);
}
//: power(2, 10) => 1024
//: power(-8, 0.5) !! CalculationError

export function squareRoot(value) {
  if (value < 0) throw new CalculationError("a negative number has no square root");
  return Math.sqrt(value);
}
//: squareRoot(9) => 3
//: squareRoot(-1) !! CalculationError

export function exponential(value) {
  return finite(Math.exp(value));
}
//: exponential(0) => 1
//: exponential(1000) !! CalculationError

export function logarithm(value) {
  if (value <= 0) throw new CalculationError("only a number above zero has a logarithm");
  return Math.log(value);
}
//: logarithm(1) => 0
//: logarithm(0) !! CalculationError

export function decimalLogarithm(value) {
  if (value <= 0) throw new CalculationError("only a number above zero has a logarithm");
  return Math.log10(value);
}
//: decimalLogarithm(1000) => 3
//: decimalLogarithm(-1) !! CalculationError

export const abs = Math.abs;
//: abs(-2) => 2

export const floor = Math.floor;
//: floor(-1.5) => -2

export const ceil = Math.ceil;
//: ceil(1.2) => 2

export const sine = Math.sin;
//: sine(0) => 0

export const cosine = Math.cos;
//: cosine(0) => 1

export const tangent = Math.tan;
//: tangent(0) => 0

export function pi() {
  return Math.PI;
}
//: pi() > 3.14 && pi() < 3.15 => true

/** Rounded to so many decimals, halves away from zero. */
export function roundTo(value, decimals = 0) {
  return Number(value.toFixed(checkedDecimals(decimals)));
}
//: roundTo(2.5) => 3
//: roundTo(-2.5) => -3
//: roundTo(0.125, 2) => 0.13

/** The number with so many decimals, as text. */
export function fixed(value, decimals) {
  const text = value.toFixed(checkedDecimals(decimals));
  return /^-[0.]+$/.test(text) ? text.slice(1) : text;
}
//: fixed(2, 2) => "2.00"
//: fixed(0.125, 2) => "0.13"
//: fixed(-0.001, 2) => "0.00"
//: fixed(1, 0.5) !! CalculationError

function checkedDecimals(decimals) {
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= 20) return decimals;
  throw new CalculationError("decimals must be a whole number from 0 to 20");
}

export function smaller(a, b) {
  return a < b ? a : b;
}
//: smaller(1, 2) => 1

export function larger(a, b) {
  return a > b ? a : b;
}
//: larger(1, 2) => 2

export function smallest(list) {
  return filled(list).reduce(smaller);
}
//: smallest([3, 1, 2]) => 1
//: smallest([]) !! CalculationError

export function largest(list) {
  return filled(list).reduce(larger);
}
//: largest([3, 1, 2]) => 3

export function sum(list) {
  return list.reduce((total, value) => total + value, 0);
}
//: sum([1, 2, 3]) => 6
//: sum([]) => 0

export function mean(list) {
  return sum(filled(list)) / list.length;
}
//: mean([1, 2, 6]) => 3
//: mean([]) !! CalculationError

export function median(list) {
  const ordered = [...filled(list)].sort((a, b) => a - b);
  const middle = Math.floor(ordered.length / 2);
  return ordered.length % 2 === 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2;
}
//: median([5, 1, 3]) => 3
//: median([4, 1, 3, 2]) => 2.5

export function count(list) {
  return list.length;
}
//: count([1, 2]) => 2

function filled(list) {
  if (list.length === 0) throw new CalculationError("at least one number is needed");
  return list;
}

/** Letters as people count them. */
export function lengthOf(text) {
  return [...text].length;
}
//: lengthOf("🦆 is") => 4

export function upper(text) {
  return text.toUpperCase();
}
//: upper("aé") => "AÉ"

export function lower(text) {
  return text.toLowerCase();
}
//: lower("AÉ") => "aé"

export function trim(text) {
  return text.trim();
}
//: trim(" a b ") => "a b"

export function reversed(text) {
  return [...text].reverse().join("");
}
//: reversed("ab🦆") => "🦆ba"

export function wordsIn(text) {
  return text.split(/\s+/).filter((word) => word !== "").length;
}
//: wordsIn(" one  two ") => 2
//: wordsIn("") => 0

export function linesIn(text) {
  if (text === "") return 0;
  return text.replace(/\n$/, "").split("\n").length;
}
//: linesIn("a\nb\n") => 2
//: linesIn("") => 0

export function contains(text, part) {
  return text.includes(part);
}
//: contains("abc", "bc") => true
//: contains("abc", "x") => false

export function startsWith(text, part) {
  return text.startsWith(part);
}
//: startsWith("abc", "ab") => true

export function endsWith(text, part) {
  return text.endsWith(part);
}
//: endsWith("abc", "ab") => false

export function replaced(text, part, other) {
  return part === "" ? text : text.split(part).join(other);
}
//: replaced("a.b.c", ".", "-") => "a-b-c"
//: replaced("a", "", "x") => "a"

export function repeated(text, times) {
  if (!Number.isInteger(times) || times < 0 || text.length * times > 100_000)
    throw new CalculationError("a text is repeated a whole number of times, to 100000 letters at most");
  return text.repeat(times);
}
//: repeated("ab", 3) => "ababab"
//: repeated("ab", 0.5) !! CalculationError
//: repeated("ab", 100000) !! CalculationError

export function joined(texts, between) {
  return texts.join(between);
}
//: joined(["a", "b"], ", ") => "a, b"

export function sameText(text) {
  return text;
}
//: sameText("2030-01-31") => "2030-01-31"

/** A number as people write it: without the last digits, which are noise of the calculation. */
export function numberText(value) {
  return String(withoutNoise(value));
}
//: numberText(0.1 + 0.2) => "0.3"
//: numberText(5) => "5"
//: numberText(0.00001) => "0.00001"
//: numberText(0.0000001) => "1e-7"

export function withoutNoise(value) {
  return Number.isInteger(value) ? value : Number(value.toPrecision(12));
}

export function numberIn(text) {
  if (/^\s*[+-]?(\d+(\.\d*)?|\.\d+)\s*$/.test(text)) return Number(text);
  throw new CalculationError(`'${text}' is no number`);
}
//: numberIn(" -1.5 ") => -1.5
//: numberIn("many") !! CalculationError

/** The day where the program runs. */
export function today() {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
//: lengthOf(today()) => 10

const dayMs = 86_400_000;

export function daysBetween(from, to) {
  return (timeOf(to) - timeOf(from)) / dayMs;
}
//: daysBetween("2030-02-28", "2030-03-01") => 1

export function addDays(day, days) {
  const moved = new Date(timeOf(day) + Math.round(days) * dayMs);
  const text = Number.isNaN(moved.getTime()) ? "" : moved.toISOString();
  if (/^\d{4}-/.test(text)) return text.slice(0, 10);
  throw new CalculationError("the day is too far away");
}
//: addDays("2030-02-28", 1) => "2030-03-01"
//: addDays("2030-02-28", 1e9) !! CalculationError
//: addDays("", 1) !! CalculationError

export function yearOf(day) {
  return new Date(timeOf(day)).getUTCFullYear();
}
//: yearOf("2030-02-28") => 2030

export function monthOf(day) {
  return new Date(timeOf(day)).getUTCMonth() + 1;
}
//: monthOf("2030-02-28") => 2

/** From 1 for Monday to 7 for Sunday. */
export function weekdayOf(day) {
  return new Date(timeOf(day)).getUTCDay() || 7;
}
//: weekdayOf("2030-02-28") => 4
//: weekdayOf("2030-03-03") => 7

/** A date that is missing is neither before nor after another. */
export function isBefore(a, b) {
  return a !== "" && b !== "" && a < b;
}
//: isBefore("2030-01-01", "2030-01-02") => true
//: isBefore("", "2030-01-02") => false

export function isAfter(a, b) {
  return isBefore(b, a);
}
//: isAfter("2030-01-01", "2030-01-02") => false

function timeOf(day) {
  const time = Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(time)) throw new CalculationError("a date is missing");
  return time;
}

export function product(list) {
  return list.reduce((total, value) => total * value, 1);
}
//: product([2, 3, 4]) => 24

/** Of a sample: divided by one less than there are numbers. */
export function variance(list) {
  if (list.length < 2) throw new CalculationError("at least two numbers are needed");
  return squaresAround(list) / (list.length - 1);
}
//: variance([2, 4, 4, 4, 5, 5, 7, 9]) * 7 => 32
//: variance([0.1, 0.1, 0.1]) => 0
//: variance([1]) !! CalculationError

export function populationVariance(list) {
  return squaresAround(filled(list)) / list.length;
}
//: populationVariance([2, 4, 4, 4, 5, 5, 7, 9]) => 4

export function deviation(list) {
  return Math.sqrt(variance(list));
}
//: deviation([1, 3, 5]) => 2

export function populationDeviation(list) {
  return Math.sqrt(populationVariance(list));
}
//: populationDeviation([2, 4, 4, 4, 5, 5, 7, 9]) => 2

/** The sum of the squared distances from the mean. */
function squaresAround(list) {
  const shifted = fromFirst(list);
  const middle = mean(shifted);
  return shifted.reduce((total, value) => total + (value - middle) ** 2, 0);
}

/** Distances from the first number: where all are the same they are 0, which those from a rounded mean are not. */
function fromFirst(list) {
  return list.map((value) => value - list[0]);
}

/** The value below which a share of the numbers lies, between two of them in proportion. */
export function quantile(list, share) {
  if (!(share >= 0 && share <= 1)) throw new CalculationError("a share is from 0 to 1");
  const ordered = ascending(filled(list));
  const place = share * (ordered.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, ordered.length - 1);
  return ordered[below] + (place - below) * (ordered[above] - ordered[below]);
}
//: quantile([4, 1, 3, 2], 0.5) => 2.5
//: quantile([1, 2], 1) => 2
//: quantile([1, 2], 1.5) !! CalculationError

export function covariance(xs, ys) {
  if (xs.length !== ys.length || xs.length < 2)
    throw new CalculationError("two lists of the same length, of at least two numbers, are needed");
  return productsAround(xs, ys) / (xs.length - 1);
}
//: covariance([1, 2, 3], [2, 4, 6]) => 2
//: covariance([1, 2], [1]) !! CalculationError

/** Pearson's, from -1 to 1. */
export function correlation(xs, ys) {
  const both = covariance(xs, ys);
  const spread = Math.sqrt(variance(xs) * variance(ys));
  if (spread === 0) throw new CalculationError("numbers that are all the same do not correlate");
  return Math.max(-1, Math.min(1, both / spread));
}
//: correlation([1, 2, 3], [2, 4, 6]) => 1
//: correlation([0.1, 0.1, 0.1], [1, 2, 3]) !! CalculationError

function productsAround(xs, ys) {
  const [ones, others] = [fromFirst(xs), fromFirst(ys)];
  const [x, y] = [mean(ones), mean(others)];
  return ones.reduce((total, value, index) => total + (value - x) * (others[index] - y), 0);
}

/** How many numbers lie in each of so many equal ranges between the smallest and the largest. */
export function histogram(list, bins) {
  if (!Number.isInteger(bins) || bins < 1 || bins > 10_000)
    throw new CalculationError("bins must be a whole number from 1 to 10000");
  const low = smallest(list);
  const width = (largest(list) - low) / bins;
  const counts = new Array(bins).fill(0);
  for (const value of list) counts[width === 0 ? 0 : Math.min(bins - 1, Math.floor((value - low) / width))] += 1;
  return counts;
}
//: histogram([1, 2, 3, 4], 2) => [2, 2]
//: histogram([5, 5], 2) => [2, 0]
//: histogram([1], 0) !! CalculationError

/** The number that is there most often; of several, the smallest. */
export function mode(list) {
  const times = new Map();
  for (const value of ascending(filled(list))) times.set(value, (times.get(value) ?? 0) + 1);
  return [...times].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}
//: mode([3, 1, 3, 2]) => 3
//: mode([2, 1]) => 1

export function ascending(list) {
  return [...list].sort((a, b) => a - b);
}
//: ascending([10, 9, 1]) => [1, 9, 10]

export function backwards(list) {
  return [...list].reverse();
}
//: backwards([1, 2, 3]) => [3, 2, 1]

export function distinct(list) {
  return [...new Set(list)];
}
//: distinct([1, 2, 1]) => [1, 2]

export function firstOf(list) {
  return filled(list)[0];
}
//: firstOf([1, 2]) => 1

export function lastOf(list) {
  return filled(list)[list.length - 1];
}
//: lastOf([1, 2]) => 2

/** The sums of the numbers up to each place. */
export function runningSums(list) {
  let total = 0;
  return list.map((value) => (total += value));
}
//: runningSums([1, 2, 3]) => [1, 3, 6]

/** The parts of a text between a mark. */
export function splitText(text, between) {
  return between === "" ? [...text] : text.split(between);
}
//: splitText("a,b", ",") => ["a", "b"]
//: splitText("ab", "") => ["a", "b"]

export function wordList(text) {
  return text.split(/\s+/).filter((word) => word !== "");
}
//: wordList(" one  two ") => ["one", "two"]

/** The first letter of each word. */
export function initials(text) {
  return wordList(text).map((word) => [...word][0]).join("");
}
//: initials("Ada Lovelace") => "AL"

export function capitalized(text) {
  const [first = "", ...rest] = [...text];
  return first.toUpperCase() + rest.join("");
}
//: capitalized("ada b") => "Ada b"
//: capitalized("") => ""
