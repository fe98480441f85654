"""The command line: one command a step."""

import argparse
import json
import sys
from pathlib import Path

from .settings import load_settings
from .steps import Pipeline
from .table import BadData, parse_table


def main(arguments: list[str] | None = None, folder: Path = Path(".")) -> int:
    """The exit code: 0 if all is well, 1 if the model is not good enough, 2 if data or input are of no use."""
    settings = load_settings()
    parser = argparse.ArgumentParser(prog=f"python3 -m {__package__}", description=settings["title"].replace("%", "%%"))
    commands = parser.add_subparsers(dest="step", required=True, metavar="step")
    for step, name in settings["steps"].items():
        command = commands.add_parser(name, help=HELP[step])
        command.set_defaults(run=RUN[step])
        if step == "predict":
            command.add_argument("file", nargs="?", help="JSON or CSV; else standard input")
        if step == "evaluate":
            for side in ("min", "max"):
                command.add_argument(f"--{side}", action="append", default=[], type=limit, metavar="METRIC=NUMBER")
    options = parser.parse_args(arguments)
    try:
        return options.run(Pipeline(settings, folder), options)
    except (OSError, ValueError) as error:
        print(f"cannot {options.step}: {error}", file=sys.stderr)
        return 2


def limit(text: str) -> tuple[str, float]:
    name, sign, number = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"'{text}' must be METRIC=NUMBER")
    return name, float(number)


def run_prepare(pipeline: Pipeline, _options) -> int:
    dataset = pipeline.prepare()
    announce(pipeline)
    print(f"{dataset.given} rows in {pipeline.settings['data']}, {len(dataset.rows)} of them of use")
    for column in dataset.columns:
        missing = sum(row.get(column["name"]) is None for row in dataset.rows)
        print(f"{column['name']}: {column['type']}" + (f", {missing} missing" if missing else ""))
    for reason in dataset.left_out:
        print(f"left out: {reason}")
    what = f"classes {', '.join(map(str, dataset.classes))}" if dataset.classes else "a number"
    print(f"{pipeline.settings['label']}: to be predicted, {what}")
    return 0


def run_train(pipeline: Pipeline, _options) -> int:
    trained = pipeline.train()
    announce(pipeline)
    print(f"{trained.about['type']} written to {pipeline.settings['outputs']['model']}")
    return 0


def run_evaluate(pipeline: Pipeline, options) -> int:
    report, missed = pipeline.evaluate({"min": dict(options.min), "max": dict(options.max)})
    announce(pipeline)
    print(f"{'metric':<18} {'model':<8} {report['baseline']['answer']}")
    for name, value in report["metrics"].items():
        print(f"{name:<18} {value:<8.4f} {report['baseline'][name]:.4f}")
    print(f"better than the baseline by {report['beats_baseline_by']:.4f} {report['compared_by']}")
    written = pipeline.settings["outputs"]
    # Before what is missed: that must be the last that is read.
    print(f"written to {written['metrics']} and {written['model_card']}", flush=True)
    for sentence in missed:
        print(f"missed: {sentence}", file=sys.stderr)
    return 1 if missed else 0


def run_predict(pipeline: Pipeline, options) -> int:
    text = Path(options.file).read_text(encoding="utf-8") if options.file else sys.stdin.read()
    rows = parse_table(text, pipeline.settings["missing_values"])
    if not rows:
        raise ValueError("there is no row to predict")
    trained = pipeline.trained()
    answers = []
    for number, row in enumerate(rows, 1):
        try:
            answers.append(trained.predict(row))
        except BadData as error:
            raise error if len(rows) == 1 else BadData(f"row {number}: {error}") from error
    for answer in answers:
        print(json.dumps(answer, ensure_ascii=False))
    return 0


def announce(pipeline: Pipeline) -> None:
    if pipeline.settings["data_kind"] == "synthetic":
        print("synthetic data: the rows were made by a written rule")


HELP = {
    "prepare": "read the data and say what is in it",
    "train": "train the model",
    "evaluate": "measure the model and the baseline on rows that neither has seen",
    "predict": "predict rows of JSON or CSV",
}
RUN = {"prepare": run_prepare, "train": run_train, "evaluate": run_evaluate, "predict": run_predict}
