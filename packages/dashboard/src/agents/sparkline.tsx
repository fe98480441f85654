/** A line of shares between 0 and 1, oldest first. */
export function Sparkline({ history, label }: { readonly history: readonly number[]; readonly label: string }) {
  const points = history.map((share, index) => `${(index * 120) / (history.length - 1)},${22 - share * 20}`);
  return (
    <svg class="sparkline" viewBox="0 0 120 24" role="img" aria-label={label}>
      <polyline points={points.join(" ")} />
    </svg>
  );
}
