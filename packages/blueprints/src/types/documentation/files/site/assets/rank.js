/** The pages that hold every word of the query, best first: a word in a title counts most, in a heading more than in text. */
export function rankPages(entries, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = entries.map((entry) => {
    const heading = entry.headings.find(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
    return { entry, heading, score: scoreOf(entry, words) };
  });
  return found.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
}

function scoreOf({ title, headings, text }, words) {
  const texts = [
    [title, 9],
    [headings.map((heading) => heading.title).join(" "), 3],
    [text, 1],
  ];
  let score = 0;
  for (const word of words) {
    const best = Math.max(...texts.map(([words, points]) => (words.toLowerCase().includes(word) ? points : 0)));
    if (best === 0) return 0;
    score += best;
  }
  return score;
}
