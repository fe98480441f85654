import { rankPages } from "./rank.js";

const form = document.querySelector('form[role="search"]');
const input = form.querySelector("input");
const results = form.querySelector("ul");
let entries;

// Without this script there is nothing to search with; the list of pages is always there.
form.hidden = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
input.addEventListener("input", async () => {
  entries ??= await (await fetch(form.dataset.index)).json();
  const found = rankPages(entries, input.value).slice(0, 8);
  results.replaceChildren(...found.map(({ entry, heading }) => resultItem(entry, heading)));
  if (found.length === 0 && input.value.trim() !== "") results.append(messageItem(form.dataset.nothing));
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(input|textarea)$/i.test(event.target.tagName)) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape") results.replaceChildren();
});

function resultItem(entry, heading) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = heading === undefined ? entry.path : `${entry.path}#${heading.id}`;
  link.textContent = heading === undefined ? entry.title : `${entry.title}: ${heading.title}`;
  item.append(link);
  return item;
}

function messageItem(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}
