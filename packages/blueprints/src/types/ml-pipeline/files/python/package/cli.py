"""The command line: one command a step."""

import argparse
import json
import sys
from pathlib import Path

from .features import MissingFeature
from .settings import load_settings
from .steps import Pipeline


def main(arguments: list[str] | None = None, folder: Path = Path(".")) -> int:
    """The exit code: 0 if all is well, 1 if a promised metric was missed, 2 if the input is of no use."""
    settings = load_settings()
    parser = argparse.ArgumentParser(prog=f"python3 -m {__package__}", description=settings["title"].replace("%", "%%"))
    commands = parser.add_subparsers(dest="step", required=True, metavar="step")
    for name, step in settings["steps"].items():
        command = commands.add_parser(name, help=HELP[step])
        command.set_defaults(run=RUN[step])
        if step == "predict":
            command.add_argument("file", nargs="?", help="JSON: an object, a list, or an object a line; else standard input")
    options = parser.parse_args(arguments)
    return options.run(Pipeline(settings, folder), options)


def run_generate(pipeline: Pipeline, _options) -> int:
    rows = pipeline.generate()
    print(f"{len(rows)} rows written to {pipeline.settings['outputs']['generate']}")
    return 0


def run_train(pipeline: Pipeline, _options) -> int:
    pipeline.train()
    print(f"{pipeline.settings['model']['type']} written to {pipeline.settings['outputs']['train']}")
    return 0


def run_evaluate(pipeline: Pipeline, _options) -> int:
    report, missed = pipeline.evaluate()
    for name, value in report["metrics"].items():
        print(f"{name:<10} {value:.4f}")
    print(f"better than the baseline by {report['beats_baseline_by']:.4f}")
    written = pipeline.settings["outputs"]
    # Before what is missed: that must be the last that is read.
    print(f"written to {written['evaluate']} and {written['model_card']}", flush=True)
    for sentence in missed:
        print(f"missed: {sentence}", file=sys.stderr)
    return 1 if missed else 0


def run_predict(pipeline: Pipeline, options) -> int:
    try:
        text = Path(options.file).read_text(encoding="utf-8") if options.file else sys.stdin.read()
        rows = read_json_rows(text)
        trained = pipeline.trained()
        answers = [trained.predict(row) for row in rows]
    except (MissingFeature, OSError, ValueError) as error:
        print(f"cannot predict: {error}", file=sys.stderr)
        return 2
    for answer in answers:
        print(json.dumps(answer, ensure_ascii=False))
    return 0


def read_json_rows(text: str) -> list[dict]:
    """One object, a list of objects, or one object a line."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        found = [json.loads(line) for line in text.splitlines() if line.strip()]
    rows = found if isinstance(found, list) else [found]
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise ValueError("a row must be a JSON object")
    return rows


HELP = {
    "generate": "make the data",
    "train": "train the model",
    "evaluate": "measure the model on rows it has not seen",
    "predict": "predict rows given as JSON",
}
RUN = {"generate": run_generate, "train": run_train, "evaluate": run_evaluate, "predict": run_predict}
