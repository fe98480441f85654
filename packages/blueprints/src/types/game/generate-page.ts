import type { CompleteSpec } from "@slipway/spec";
import { html } from "../../kit/quote.ts";
import { type Fields, fieldsOf, numberOf } from "../../kit/read-value.ts";
import { titleOf } from "../../kit/title.ts";

/** The game's page. Its texts are in the HTML, so they show before any script runs. */
export function generatePage(document: CompleteSpec, rules: Fields): string {
  const title = html(titleOf(document));
  const board = fieldsOf(rules["board"]);
  const tilePx = numberOf(board["tilePx"], 32);
  const width = numberOf(board["columns"], 16) * tilePx;
  const height = numberOf(board["rows"], 12) * tilePx;
  const screen = fieldsOf(fieldsOf(rules["screens"])["title"]);
  return `
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="${html(oneLine(document.description)).slice(0, 1000)}">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/web/style.css">
    <script type="module" src="/web/main.js"></script>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <dl>
        <div><dt>Score</dt><dd id="score">0</dd></div>
        <div><dt>Best</dt><dd id="best">0</dd></div>
        <div><dt>Lives</dt><dd id="lives"></dd></div>
        <div><dt>Collected</dt><dd id="goal"></dd></div>
        <div><dt>Time left</dt><dd id="time"></dd></div>
        <div><dt>Seed</dt><dd id="seed"></dd></div>
      </dl>
      <div id="stage">
        <canvas id="board" width="${width}" height="${height}" aria-label="The board of ${title}" role="img"></canvas>
        <div id="message" role="status">
          <p id="message-text">${html(String(screen["text"]))}</p>
          <p id="message-hint">${html(String(screen["hint"]))}</p>
          <button id="start" type="button">Play</button>
        </div>
      </div>
      <button id="pause" type="button" hidden>Pause</button>
      <noscript><p>This game needs JavaScript.</p></noscript>
    </main>
  </body>
</html>`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
