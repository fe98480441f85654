//@ <T>(list: readonly T[], size: number): T[][]
export function chunk(list, size) {
  if (!(size >= 1)) throw new RangeError("size must be at least 1");
  const width = Math.floor(size);
  return Array.from({ length: Math.ceil(list.length / width) }, (_, index) =>
    list.slice(index * width, (index + 1) * width),
  );
}
//: chunk([1, 2, 3, 4, 5], 2) => [[1, 2], [3, 4], [5]]
//: chunk([], 2) => []
//: chunk([1], 0) !! RangeError
