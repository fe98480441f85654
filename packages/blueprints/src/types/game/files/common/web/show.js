import { describeProgress } from "../engine/describe.js";
import { rulesOf } from "../engine/game.js";
import { goalTexts } from "../engine/goal.js";
import { describeBoard } from "../engine/view.js";
import { shownScore } from "./session.js";

/** Writes what is known of the session onto the page. */
export function show(page, rules, session, scores) {
  const { screen, game, seed } = session;
  const level = rulesOf(rules, game.level);
  const set = (id, text) => {
    // Only what changes is written: every write may be read out.
    const element = page.getElementById(id);
    if (element.textContent !== text) element.textContent = text;
  };
  set("score", String(shownScore(rules, session)));
  set("best", String(scores[0]?.score ?? 0));
  set("level", levelText(rules, game.level));
  set("lives", String(game.lives));
  set("goal", goalTexts(level, game).join(", ") || "as much as you can");
  set("time", level.goal.maxSteps === null ? "∞" : String(level.goal.maxSteps - game.tick));
  set("seed", String(seed));
  const { text, hint } = rules.screens[screen] ?? { text: "", hint: "" };
  set("message-text", screen === "level" ? `${text} ${levelText(rules, game.level)}` : text);
  set("message-hint", hint);
  page.getElementById("message").hidden = screen === "playing";
  page.getElementById("pause").hidden = screen !== "playing";
}

/** Says in words what there is on the board: whenever something was gained or lost, and in every pause. */
export function announce(page, rules, { game }) {
  const level = rulesOf(rules, game.level);
  page.getElementById("view").textContent = `${describeProgress(level, game)}. ${describeBoard(level, game)}`;
}

/** Whether something happened between two sessions that those who do not see the board must be told. */
export function isNews(before, { screen, game }) {
  const { game: old } = before;
  return before.screen !== screen || old.lives !== game.lives || old.count !== game.count || old.level !== game.level;
}

/** Fills the table of high scores, where the page has one. */
export function showScores(page, scores) {
  const table = page.getElementById("scores");
  if (table === null) return;
  const rows = scores.map(({ score, level, day }) => {
    const row = page.createElement("tr");
    for (const text of [String(score), String(level), day]) {
      const cell = page.createElement("td");
      cell.textContent = text;
      row.append(cell);
    }
    return row;
  });
  table.replaceChildren(...rows);
  page.getElementById("high-scores").hidden = scores.length === 0;
}

function levelText({ levels }, level) {
  const { name } = levels[level];
  return `${level + 1}/${levels.length}${name === "" ? "" : ` ${name}`}`;
}
