import { columnNames, encode, fitColumns, refuseUnseen } from "./columns.js";
import { models } from "./models/models.js";
import { applyScale, fitScale } from "./scale.js";

/** A model of these rows, which are those of the data set to learn from; parts of its settings may be others. */
export function train(dataset, rows, changes = {}) {
  const { settings, classes } = dataset;
  const model = { ...settings.model, ...changes };
  const type = model.type ?? dataset.modelType;
  const columns = fitColumns(dataset.columns, rows, dataset.rows);
  const table = rows.map((row) => encode(columns, row));
  const scale = fitScale(table, model.scaling === "standard");
  const scaled = table.map((numbers) => applyScale(scale, numbers));
  const labels = rows.map((row) => row[settings.label]);
  const targets = classes.length > 0 ? labels.map((label) => classes.indexOf(label)) : labels;
  const weights = rowWeights(targets, classes.length, model.class_weight === "balanced");
  const learnt = models[type].fit(scaled, targets, weights, classes.length, model.training);
  const { decision_threshold } = model;
  return { type, label: settings.label, classes, decision_threshold, columns, inputs: columnNames(columns), ...scale, model: learnt };
}

/** How much each row counts; balanced, all classes count the same together. */
export function rowWeights(targets, classCount, isBalanced) {
  if (classCount === 0 || !isBalanced) return targets.map(() => 1);
  const counts = Array(classCount).fill(0);
  for (const target of targets) counts[target] += 1;
  return targets.map((target) => targets.length / (classCount * counts[target]));
}

/** The same of a row that is not of the data: what it could not have learnt of is refused. */
export function predictNew(trained, row) {
  refuseUnseen(trained.columns, row);
  return predict(trained, row);
}

/** The label and, of classes, a probability: of two, that of the positive one. */
export function predict(trained, row) {
  const { label, classes, decision_threshold } = trained;
  const answer = answerOf(trained, row);
  if (classes.length === 0) return { [label]: rounded(answer) };
  if (classes.length === 2)
    return { [label]: classes[Number(answer[1] >= decision_threshold)], probability: rounded(answer[1]) };
  const best = answer.indexOf(Math.max(...answer));
  return { [label]: classes[best], probability: rounded(answer[best]) };
}

/** What the model itself says of a row: a number or, of classes, the probability of each. */
export function answerOf({ type, columns, means, deviations, model }, row) {
  return models[type].answer(model, applyScale({ means, deviations }, encode(columns, row)));
}

function rounded(value) {
  return Number(value.toFixed(4));
}
