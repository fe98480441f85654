//@ (from: string, to: string): number
export function editDistance(from, to) {
  const target = [...to];
  let previous = [0, ...target.map((_, index) => index + 1)];
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of target.entries()) {
      const replaced = previous[column] + (letter === other ? 0 : 1);
      current.push(Math.min(replaced, previous[column + 1] + 1, current[column] + 1));
    }
    previous = current;
  }
  return previous[target.length];
}
//: editDistance("flaw", "lawn") => 2
//: editDistance("", "abc") => 3
