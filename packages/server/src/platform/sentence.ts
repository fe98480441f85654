/** A text as a sentence: with a full stop, unless what it quotes at its end brought one. */
export function sentence(text: string): string {
  const trimmed = text.trimEnd();
  return /[.!?…]['")]?$/.test(trimmed.slice(-2)) ? trimmed : `${trimmed}.`;
}
