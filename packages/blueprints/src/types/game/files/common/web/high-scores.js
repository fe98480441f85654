/** The best scores of this browser, the best first. A browser may forbid storage; the game works without. */
export function loadScores({ localStorage }, { id, highScores }) {
  try {
    const kept = JSON.parse(localStorage.getItem(`${id}:scores`) ?? "[]");
    return (Array.isArray(kept) ? kept : []).filter(isEntry).slice(0, highScores);
  } catch {
    return [];
  }
}

export function saveScores({ localStorage }, { id }, scores) {
  try {
    localStorage.setItem(`${id}:scores`, JSON.stringify(scores));
  } catch {
    // The scores are then known until the page is closed.
  }
}

/** The list with a new entry, if it is among the best; of equal scores the older one stays ahead. */
export function withScore({ highScores }, scores, entry) {
  const place = scores.findIndex(({ score }) => score < entry.score);
  const at = place === -1 ? scores.length : place;
  return [...scores.slice(0, at), entry, ...scores.slice(at)].slice(0, highScores);
}

function isEntry(entry) {
  return Number.isFinite(entry?.score) && Number.isInteger(entry.level) && /^\d{4}-\d\d-\d\d$/.test(entry.day);
}
