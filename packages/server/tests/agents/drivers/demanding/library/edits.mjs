/** One module more: its export, its type and its chapter, where the builder's own are. */
function addModule({ add, after, before }, { file, name, heading, text, type }) {
  add(`src/${file}.ts`, `test/${file}.test.ts`);
  after("src/index.ts", /^/, `export { ${name} } from "./${file}.ts";\n`);
  after("types/index.d.ts", /^/, `${type}\n\n`);
  before("README.md", "## Licence", `### \`${heading}\`\n\n${text}\n\n`);
}

export default {
  "/api_design/functions/1": (project) =>
    addModule(project, {
      ...{ file: "weighted-mean", name: "weightedMean", heading: "weightedMean(values, weights): number" },
      text: "The mean with weights. Lists of different lengths throw a `TypeError`.",
      type: "/** The mean with weights. */\nexport function weightedMean(values: readonly number[], weights: readonly number[]): number;",
    }),
  "/api_design/functions/10": (project) =>
    addModule(project, {
      ...{ file: "linear-fit", name: "linearFit", heading: "linearFit(xs, ys): { slope, intercept }" },
      text: "Slope and intercept of the least-squares line.",
      type: "/** Slope and intercept of the least-squares line. */\nexport function linearFit(xs: readonly number[], ys: readonly number[]): { slope: number; intercept: number };",
    }),
  "/api_design/functions/11": (project) =>
    addModule(project, {
      ...{ file: "bootstrap-interval", name: "bootstrapInterval", heading: "bootstrapInterval(values, seed): number[]" },
      text: "A 95 % confidence interval of the median by bootstrap. The seed alone decides it.",
      type: "/** A 95 % confidence interval of the median by bootstrap. */\nexport function bootstrapInterval(values: readonly number[], seed: number): number[];",
    }),
  "/api_design/classes": (project) =>
    addModule(project, {
      ...{ file: "running-stats", name: "RunningStats", heading: "RunningStats()" },
      text: "Mean and variance of numbers that come one after the other: `push(value)`, `mean()`, `variance()`.",
      type: "/** Mean and sample variance of numbers that come one after the other. */\nexport class RunningStats {\n  push(value: number): this;\n  mean(): number;\n  variance(): number;\n}",
    }),
};
