import type { CompleteSpec } from "@slipway/spec";
import { html } from "../../kit/quote.ts";
import { titleOf } from "../../kit/title.ts";
import type { Rules } from "./model.ts";

/** The game's page. Its texts are in the HTML, so they show before any script runs. */
export function generatePage(document: CompleteSpec, rules: Rules): string {
  const title = html(titleOf(document));
  const { board, screens, highScores, controls } = rules;
  const fact = (word: string, id: string) => `        <div><dt>${word}</dt><dd id="${id}"></dd></div>`;
  return `
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="${html(oneLine(document.description).slice(0, 1000))}">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/web/style.css">
    <script type="module" src="/web/main.js"></script>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <dl>
${["Score", "Best", "Level", "Lives", "Goal", "Steps left", "Seed"]
  .map((word) => fact(word, word === "Steps left" ? "time" : word.toLowerCase()))
  .join("\n")}
      </dl>
      <div id="stage">
        <canvas id="board" width="${board.columns * board.tilePx}" height="${board.rows * board.tilePx}" role="img" aria-label="The board of ${title}" aria-describedby="view"></canvas>
        <div id="message" role="status">
          <p id="message-text">${html(screens.title.text)}</p>
          <p id="message-hint">${html(screens.title.hint)}</p>
          <button id="start" type="button">Play</button>
        </div>
      </div>
      <p id="view" aria-live="polite"></p>
      <button id="pause" type="button" hidden>Pause</button>
${controls.touch === "buttons" ? moveButtons : ""}${highScores > 0 ? scoreTable : ""}
      <noscript><p>This game needs JavaScript.</p></noscript>
    </main>
  </body>
</html>`;
}

const moveButtons = `      <div id="moves" role="group" aria-label="Moves">
        <button type="button" data-move="up" aria-label="Up">▲</button>
        <button type="button" data-move="left" aria-label="Left">◀</button>
        <button type="button" data-move="down" aria-label="Down">▼</button>
        <button type="button" data-move="right" aria-label="Right">▶</button>
      </div>
`;

const scoreTable = `      <section id="high-scores" hidden>
        <h2>High scores</h2>
        <table>
          <thead><tr><th scope="col">Score</th><th scope="col">Level</th><th scope="col">Day</th></tr></thead>
          <tbody id="scores"></tbody>
        </table>
      </section>`;

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
