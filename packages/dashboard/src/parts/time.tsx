import { useValue, Value } from "../data/value.ts";

/** The time by which ages are shown; it moves on by itself. */
const now = new Value(Date.now());
setInterval(() => now.set(Date.now()), 15_000);

const steps = [
  [60_000, 1_000, "s"],
  [3_600_000, 60_000, "min"],
  [86_400_000, 3_600_000, "h"],
  [Number.POSITIVE_INFINITY, 86_400_000, "d"],
] as const;

/** Made once: a formatter costs more than what it formats. */
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A duration in its largest unit: `3 min`. */
export function shortDuration(ms: number): string {
  const [, unitMs, unit] = steps.find(([limitMs]) => ms < limitMs) ?? steps[3];
  return `${Math.max(0, Math.floor(ms / unitMs))} ${unit}`;
}

/** The time now, which moves on while somebody looks. */
export function useNow(): number {
  return useValue(now);
}

/** How long ago something was; the exact time on hover. */
export function Ago({ at }: { readonly at: string }) {
  const ms = useNow() - Date.parse(at);
  return (
    <time dateTime={at} title={exact.format(Date.parse(at))}>
      {ms < -10_000 ? `in ${shortDuration(-ms)}` : ms < 10_000 ? "just now" : `${shortDuration(ms)} ago`}
    </time>
  );
}
