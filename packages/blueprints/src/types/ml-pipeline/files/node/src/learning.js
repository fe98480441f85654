import { rounded } from "./data.js";
import { applyScale, columnNames, fitScale, numbersOf } from "./features.js";
import { models } from "./models/models.js";
import { classesOf, isRegression } from "./settings.js";

/** A trained model with all that belongs to it: how rows become numbers, and how its numbers become an answer. */
export function train(settings, rows) {
  const { features, label, model } = settings;
  const table = rows.map((row) => numbersOf(features, row));
  const scale = fitScale(table, model.scaling === "standard");
  const scaled = table.map((numbers) => applyScale(scale, numbers));
  const classes = isRegression(settings) ? [] : classesOf(settings);
  const targets = rows.map((row) => (classes.length > 0 ? classes.indexOf(row[label.name]) : row[label.name]));
  const learnt = models[model.type].fit(scaled, targets, classes.length, model.training);
  return { settings, type: model.type, scale, learnt };
}

/** The label and, unless it is a number, how probable it is. */
export function predict(trained, row) {
  const { label, model } = trained.settings;
  const answer = answerOf(trained, row);
  if (isRegression(trained.settings)) return { [label.name]: rounded(answer) };
  if (label.type === "boolean")
    return { [label.name]: answer[1] >= model.decision_threshold, probability: rounded(answer[1]) };
  const best = answer.indexOf(Math.max(...answer));
  return { [label.name]: classesOf(trained.settings)[best], probability: rounded(answer[best]) };
}

/** What the model itself says of a row: a number or, of classes, the probability of each. */
export function answerOf({ settings, type, scale, learnt }, row) {
  return models[type].answer(learnt, applyScale(scale, numbersOf(settings.features, row)));
}

export function writeModel({ settings, type, scale, learnt }) {
  const data = { type, label: settings.label.name, columns: columnNames(settings.features), ...scale, model: learnt };
  return `${JSON.stringify(data, undefined, 2)}\n`;
}

export function readModel(settings, text) {
  const { type, means, deviations, model } = JSON.parse(text);
  return { settings, type, scale: { means, deviations }, learnt: model };
}
