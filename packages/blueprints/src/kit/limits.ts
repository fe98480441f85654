interface Limits {
  readonly min?: number | string | undefined;
  readonly max?: number | string | undefined;
  readonly min_length?: number | undefined;
  readonly max_length?: number | undefined;
}

/** The first limit of two between which no value is, and the reason; undefined if values fit. */
export function crossedLimit({
  min,
  max,
  min_length: minLength,
  max_length: maxLength,
}: Limits): { readonly key: "min" | "min_length"; readonly reason: string } | undefined {
  const isFixed =
    !/^(?:today|now|tomorrow|yesterday)$/.test(`${min}`) && !/^(?:today|now|tomorrow|yesterday)$/.test(`${max}`);
  const areAlike = typeof min === typeof max && min !== undefined && max !== undefined;
  if (areAlike && isFixed && min > max)
    return { key: "min", reason: "It is above 'max', so nothing would fit: neither is kept to. Make it smaller." };
  if (minLength !== undefined && maxLength !== undefined && minLength > maxLength)
    return {
      key: "min_length",
      reason: "It is above 'max_length', so nothing would fit: neither is kept to. Make it smaller.",
    };
  return undefined;
}
