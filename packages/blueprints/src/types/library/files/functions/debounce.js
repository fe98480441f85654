//@ <A extends unknown[]>(action: (...args: A) => void, waitMs: number): (...args: A) => void
export function debounce(action, waitMs) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), waitMs);
  };
}
//: await new Promise((resolve) => { const later = debounce(resolve, 1); later("early"); later("last"); }) => "last"
//= let timer; ==> let timer: ReturnType<typeof setTimeout> | undefined;
