//@ <A extends unknown[], R>(compute: (...args: A) => R): (...args: A) => R
export function memoize(compute) {
  const known = new Map();
  return (...args) => {
    const key = JSON.stringify(args);
    if (!known.has(key)) known.set(key, compute(...args));
    return known.get(key);
  };
}
//: (() => { let runs = 0; const next = memoize(() => { runs += 1; return runs; }); return [next("a"), next("a"), next("b")]; })() => [1, 1, 2]
