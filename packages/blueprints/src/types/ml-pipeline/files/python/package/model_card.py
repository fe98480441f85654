"""What one should know before using the model, in Markdown."""

from .dataset import Dataset

ORIGIN = {
    "synthetic": "**Synthetic data:** the rows were made by a written rule. The numbers say how well that rule was learnt, "
    "not how the world behaves.",
    "given": "The rows are those that the document gives.",
    "file": "The rows are those of a file of the project.",
}


def model_card(dataset: Dataset, report: dict, missed: list[str]) -> str:
    settings = dataset.settings
    card, rows = settings["card"], report["rows"]
    lines = [
        f"# Model card: {settings['title']}",
        "",
        ORIGIN[settings["data_kind"]],
        "",
        settings["description"],
        "",
        "## Use",
        "",
        f"- Intended for: {card['intended_use']}",
        f"- Not for: {card['not_for']}",
        "",
        "## Data",
        "",
        f"{rows['given']} rows of `{settings['data']}`; each is: {settings['row']}.",
        f"{rows['train']} were learnt from, {rows['test']} were kept for measuring (seed {settings['split']['seed']}).",
        f"{rows['without_label']} have no label and {rows['dropped']} lack a value that they need: these were left out.",
        "",
        "| column | kind | rows without a value |",
        "|---|---|---|",
        *(f"| {cell(one['name'])} | {one['type']} | {missing(dataset, one['name'])} |" for one in dataset.columns),
        "",
        *([f"Left out: {cell('; '.join(dataset.left_out))}.", ""] if dataset.left_out else []),
        "## Model",
        "",
        f"{dataset.model_type.replace('_', ' ').capitalize()} of `{cell(settings['label'])}`, "
        f"scaling: {settings['model']['scaling']}, class weight: {settings['model']['class_weight']}.",
        "",
        "## Measured on rows it has not seen",
        "",
        f"| metric | model | baseline: {cell(report['baseline']['answer'])} |",
        "|---|---|---|",
        *(f"| {name} | {value:.4f} | {report['baseline'][name]:.4f} |" for name, value in report["metrics"].items()),
        "",
        f"Better than the baseline by {report['beats_baseline_by']:.4f} {report['compared_by']}.",
        *(["", "**Not reached:** " + "; ".join(missed) + "."] if missed else []),
    ]
    return "\n".join(lines) + "\n"


def missing(dataset: Dataset, name: str) -> int:
    return sum(row.get(name) is None for row in dataset.rows)


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("`", "'")
