import { checkLinks } from "./check-links.js";

/** What is wrong with a site, in words: links and anchors that lead nowhere, and links that its settings forbid. */
export function problemsOf(files, { externalLinks, address }) {
  const { broken, anchors, others } = checkLinks(files, address);
  return [
    ...[...broken, ...anchors].map(({ page, target }) => `${page}: ${target} leads nowhere`),
    ...(externalLinks ? [] : others.map(({ page, target }) => `${page}: ${target} is on another host`)),
  ];
}
