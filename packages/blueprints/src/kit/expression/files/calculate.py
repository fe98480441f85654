"""What expressions are made of."""

import math
import re
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext


class CalculationError(ValueError):
    """What cannot be worked out, such as a division by zero."""


class UnknownName(CalculationError):
    """A name that a table does not have."""


def find(table, name, what):
    """What a table has under a name."""
    if name in table:
        return table[name]
    raise UnknownName(f"'{name}' is not in {what}, which has {', '.join(table)}")
#: find({"a": 1}, "a", "letters") => 1
#: find({"a": 1}, "b", "letters") !! UnknownName


def finite(value):
    """A number for sure: a result that is too large or has no value is told instead of shown."""
    if math.isfinite(value):
        return value
    raise CalculationError("the result is no number that can be shown")
#: finite(1) => 1
#: finite(math.inf) !! CalculationError


def divide(a, b):
    if b == 0:
        raise CalculationError("nothing can be divided by zero")
    return a / b
#: divide(6, 3) => 2
#: divide(1, 0) !! CalculationError


def remainder(a, b):
    """What a division leaves; it has the sign of the divisor."""
    if b == 0:
        raise CalculationError("nothing can be divided by zero")
    return a % b
#: remainder(-7, 3) => 2
#: remainder(1, 0) !! CalculationError


def power(base, exponent):
    try:
        return finite(math.pow(base, exponent))
    except (OverflowError, ValueError):
        return finite(math.nan)
#: power(2, 10) => 1024
#: power(-8, 0.5) !! CalculationError


def square_root(value):
    if value < 0:
        raise CalculationError("a negative number has no square root")
    return math.sqrt(value)
#: square_root(9) => 3
#: square_root(-1) !! CalculationError


def exponential(value):
    try:
        return math.exp(value)
    except OverflowError:
        return finite(math.inf)
#: exponential(0) => 1
#: exponential(1000) !! CalculationError


def logarithm(value):
    return math.log(above_zero(value))
#: logarithm(1) => 0
#: logarithm(0) !! CalculationError


def decimal_logarithm(value):
    return math.log10(above_zero(value))
#: decimal_logarithm(1000) => 3
#: decimal_logarithm(-1) !! CalculationError


def above_zero(value):
    if value <= 0:
        raise CalculationError("only a number above zero has a logarithm")
    return value


def floor(value):
    return float(math.floor(finite(value)))
#: floor(-1.5) => -2


def ceil(value):
    return float(math.ceil(finite(value)))
#: ceil(1.2) => 2


def abs(value):  # noqa: A001 - the name that expressions use
    return math.fabs(value)
#: abs(-2) => 2


def sine(value):
    return math.sin(value)
#: sine(0) => 0


def cosine(value):
    return math.cos(value)
#: cosine(0) => 1


def tangent(value):
    return math.tan(value)
#: tangent(0) => 0


def pi():
    return math.pi
#: pi() > 3.14 and pi() < 3.15 => True


def round_to(value, decimals=0):
    """Rounded to so many decimals, halves away from zero."""
    return float(fixed(value, decimals))
#: round_to(2.5) => 3
#: round_to(-2.5) => -3
#: round_to(0.125, 2) => 0.13


def fixed(value, decimals):
    """The number with so many decimals, as text."""
    if decimals != int(decimals) or not 0 <= decimals <= 20:
        raise CalculationError("decimals must be a whole number from 0 to 20")
    with localcontext() as context:
        context.prec = 400
        text = format(Decimal(finite(value)).quantize(Decimal(1).scaleb(-int(decimals)), ROUND_HALF_UP), "f")
    return text[1:] if re.fullmatch(r"-[0.]+", text) else text
#: fixed(2, 2) => "2.00"
#: fixed(0.125, 2) => "0.13"
#: fixed(-0.001, 2) => "0.00"
#: fixed(1, 0.5) !! CalculationError


def smaller(a, b):
    return a if a < b else b
#: smaller(1, 2) => 1


def larger(a, b):
    return a if a > b else b
#: larger(1, 2) => 2


def smallest(numbers):
    return min(filled(numbers))
#: smallest([3, 1, 2]) => 1
#: smallest([]) !! CalculationError


def largest(numbers):
    return max(filled(numbers))
#: largest([3, 1, 2]) => 3


def sum(numbers):  # noqa: A001 - the name that expressions use
    total = 0.0
    for value in numbers:
        total += value
    return total
#: sum([1, 2, 3]) => 6
#: sum([]) => 0


def mean(numbers):
    return sum(filled(numbers)) / len(numbers)
#: mean([1, 2, 6]) => 3
#: mean([]) !! CalculationError


def median(numbers):
    ordered = sorted(filled(numbers))
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 == 1 else (ordered[middle - 1] + ordered[middle]) / 2
#: median([5, 1, 3]) => 3
#: median([4, 1, 3, 2]) => 2.5


def count(values):
    return float(len(values))
#: count([1, 2]) => 2


def filled(numbers):
    if not numbers:
        raise CalculationError("at least one number is needed")
    return numbers


def length_of(text):
    return float(len(text))
#: length_of("🦆 is") => 4


def upper(text):
    return text.upper()
#: upper("aé") => "AÉ"


def lower(text):
    return text.lower()
#: lower("AÉ") => "aé"


def trim(text):
    return text.strip()
#: trim(" a b ") => "a b"


def reversed(text):  # noqa: A001 - the name that expressions use
    return text[::-1]
#: reversed("ab🦆") => "🦆ba"


def words_in(text):
    return float(len(text.split()))
#: words_in(" one  two ") => 2
#: words_in("") => 0


def lines_in(text):
    return 0.0 if text == "" else float(len(text.removesuffix("\n").split("\n")))
#: lines_in("a\nb\n") => 2
#: lines_in("") => 0


def contains(text, part):
    return part in text
#: contains("abc", "bc") => True
#: contains("abc", "x") => False


def starts_with(text, part):
    return text.startswith(part)
#: starts_with("abc", "ab") => True


def ends_with(text, part):
    return text.endswith(part)
#: ends_with("abc", "ab") => False


def replaced(text, part, other):
    return text if part == "" else text.replace(part, other)
#: replaced("a.b.c", ".", "-") => "a-b-c"
#: replaced("a", "", "x") => "a"


def repeated(text, times):
    if times != int(times) or times < 0 or len(text) * times > 100_000:
        raise CalculationError("a text is repeated a whole number of times, to 100000 letters at most")
    return text * int(times)
#: repeated("ab", 3) => "ababab"
#: repeated("ab", 0.5) !! CalculationError
#: repeated("ab", 100000) !! CalculationError


def joined(texts, between):
    return between.join(texts)
#: joined(["a", "b"], ", ") => "a, b"


def same_text(text):
    return text
#: same_text("2030-01-31") => "2030-01-31"


def number_text(value):
    """A number as people write it: without the last digits, which are noise of the calculation."""
    short = without_noise(value)
    if isinstance(short, int):
        return str(short)
    digits, _, exponent = repr(short).partition("e")
    if exponent == "" or -7 < int(exponent) < 21:
        return format(Decimal(repr(short)), "f")
    return f"{digits}e{int(exponent):+d}"
#: number_text(0.1 + 0.2) => "0.3"
#: number_text(5) => "5"
#: number_text(0.00001) => "0.00001"
#: number_text(0.0000001) => "1e-7"


def without_noise(value):
    if value == int(value) and math.fabs(value) < 1e21:
        return int(value)
    return float(f"{value:.12g}")


def number_in(text):
    if re.fullmatch(r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*", text):
        return float(text)
    raise CalculationError(f"'{text}' is no number")
#: number_in(" -1.5 ") => -1.5
#: number_in("many") !! CalculationError


def today():
    return date.today().isoformat()
#: length_of(today()) => 10


def days_between(start, end):
    return float((day_of(end) - day_of(start)).days)
#: days_between("2030-02-28", "2030-03-01") => 1


def add_days(day, number):
    try:
        return (day_of(day) + timedelta(days=math.floor(number + 0.5))).isoformat()
    except OverflowError:
        raise CalculationError("the day is too far away") from None
#: add_days("2030-02-28", 1) => "2030-03-01"
#: add_days("2030-02-28", 1e9) !! CalculationError
#: add_days("", 1) !! CalculationError


def year_of(day):
    return float(day_of(day).year)
#: year_of("2030-02-28") => 2030


def month_of(day):
    return float(day_of(day).month)
#: month_of("2030-02-28") => 2


def weekday_of(day):
    """From 1 for Monday to 7 for Sunday."""
    return float(day_of(day).isoweekday())
#: weekday_of("2030-02-28") => 4
#: weekday_of("2030-03-03") => 7


def is_before(a, b):
    """A date that is missing is neither before nor after another."""
    return a != "" and b != "" and a < b
#: is_before("2030-01-01", "2030-01-02") => True
#: is_before("", "2030-01-02") => False


def is_after(a, b):
    return is_before(b, a)
#: is_after("2030-01-01", "2030-01-02") => False


def day_of(text):
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        raise CalculationError("a date is missing") from None


def product(numbers):
    total = 1.0
    for value in numbers:
        total *= value
    return total
#: product([2, 3, 4]) => 24


def variance(numbers):
    """Of a sample: divided by one less than there are numbers."""
    if len(numbers) < 2:
        raise CalculationError("at least two numbers are needed")
    return squares_around(numbers) / (len(numbers) - 1)
#: variance([2, 4, 4, 4, 5, 5, 7, 9]) * 7 => 32
#: variance([0.1, 0.1, 0.1]) => 0
#: variance([1]) !! CalculationError


def population_variance(numbers):
    return squares_around(filled(numbers)) / len(numbers)
#: population_variance([2, 4, 4, 4, 5, 5, 7, 9]) => 4


def deviation(numbers):
    return math.sqrt(variance(numbers))
#: deviation([1, 3, 5]) => 2


def population_deviation(numbers):
    return math.sqrt(population_variance(numbers))
#: population_deviation([2, 4, 4, 4, 5, 5, 7, 9]) => 2


def squares_around(numbers):
    """The total of the squared distances from the middle."""
    shifted = from_first(numbers)
    middle = mean(shifted)
    return sum([(value - middle) ** 2 for value in shifted])


def from_first(numbers):
    """Distances from the first: where all are the same they are 0, which those from a rounded middle are not."""
    return [value - numbers[0] for value in numbers]


def quantile(numbers, share):
    """The value below which a share of the numbers lies, between two of them in proportion."""
    if not 0 <= share <= 1:
        raise CalculationError("a share is from 0 to 1")
    ordered = sorted(filled(numbers))
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
#: quantile([4, 1, 3, 2], 0.5) => 2.5
#: quantile([1, 2], 1) => 2
#: quantile([1, 2], 1.5) !! CalculationError


def covariance(xs, ys):
    if len(xs) != len(ys) or len(xs) < 2:
        raise CalculationError("two lists of the same length, of at least two numbers, are needed")
    return products_around(xs, ys) / (len(xs) - 1)
#: covariance([1, 2, 3], [2, 4, 6]) => 2
#: covariance([1, 2], [1]) !! CalculationError


def correlation(xs, ys):
    """Pearson's, from -1 to 1."""
    both = covariance(xs, ys)
    spread = math.sqrt(variance(xs) * variance(ys))
    if spread == 0:
        raise CalculationError("numbers that are all the same do not correlate")
    return max(-1.0, min(1.0, both / spread))
#: correlation([1, 2, 3], [2, 4, 6]) => 1
#: correlation([0.1, 0.1, 0.1], [1, 2, 3]) !! CalculationError


def products_around(xs, ys):
    ones, others = from_first(xs), from_first(ys)
    x, y = mean(ones), mean(others)
    return sum([(a - x) * (b - y) for a, b in zip(ones, others)])


def histogram(numbers, bins):
    """How many numbers lie in each of so many equal ranges between the smallest and the largest."""
    if bins != int(bins) or not 1 <= bins <= 10_000:
        raise CalculationError("bins must be a whole number from 1 to 10000")
    low = smallest(numbers)
    width = (largest(numbers) - low) / bins
    counts = [0] * int(bins)
    for value in numbers:
        counts[0 if width == 0 else min(int(bins) - 1, math.floor((value - low) / width))] += 1
    return counts
#: histogram([1, 2, 3, 4], 2) => [2, 2]
#: histogram([5, 5], 2) => [2, 0]
#: histogram([1], 0) !! CalculationError


def mode(numbers):
    """The number that is there most often; of several, the smallest."""
    ordered = sorted(filled(numbers))
    return max(ordered, key=ordered.count)
#: mode([3, 1, 3, 2]) => 3
#: mode([2, 1]) => 1


def ascending(numbers):
    return sorted(numbers)
#: ascending([10, 9, 1]) => [1, 9, 10]


def backwards(values):
    return values[::-1]
#: backwards([1, 2, 3]) => [3, 2, 1]


def distinct(values):
    return list(dict.fromkeys(values))
#: distinct([1, 2, 1]) => [1, 2]


def first_of(values):
    return filled(values)[0]
#: first_of([1, 2]) => 1


def last_of(values):
    return filled(values)[-1]
#: last_of([1, 2]) => 2


def running_sums(numbers):
    """The totals of the numbers up to each place."""
    sums = []
    for value in numbers:
        sums.append(value + (sums[-1] if sums else 0))
    return sums
#: running_sums([1, 2, 3]) => [1, 3, 6]


def split_text(text, between):
    """The parts of a text between a mark."""
    return list(text) if between == "" else text.split(between)
#: split_text("a,b", ",") => ["a", "b"]
#: split_text("ab", "") => ["a", "b"]


def word_list(text):
    return text.split()
#: word_list(" one  two ") => ["one", "two"]


def initials(text):
    """The first letter of each word."""
    return "".join(word[0] for word in word_list(text))
#: initials("Ada Lovelace") => "AL"


def capitalized(text):
    return text[:1].upper() + text[1:]
#: capitalized("ada b") => "Ada b"
#: capitalized("") => ""
