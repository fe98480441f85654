"""What one should know before using the model, in Markdown."""


def model_card(settings: dict, report: dict, missed: list[str]) -> str:
    label = settings["label"]
    card = settings["card"]
    lines = [
        f"# Model card: {settings['title']}",
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
        f"{settings['rows']} rows made by a written rule from the seed {settings['seed']}; each is: {settings['row']}.",
        f"{report['rows']['train']} were learnt from, {report['rows']['test']} were kept for measuring.",
        "",
        "| column | kind | distribution |",
        "|---|---|---|",
        *(f"| {cell(one['name'])} | {one['type']} | {one['distribution']} |" for one in settings["features"]),
        f"| {cell(label['name'])} | {label['type']} | the label |",
        "",
        "## Model",
        "",
        f"{settings['model']['type'].replace('_', ' ').capitalize()}, scaling: {settings['model']['scaling']}.",
        "",
        "## Measured on rows it has not seen",
        "",
        "| metric | value | promised |",
        "|---|---|---|",
        *(f"| {name} | {value:.4f} | {promised(settings, name)} |" for name, value in report["metrics"].items()),
        "",
        f"Better than always answering {report['baseline']['answer']} by {report['beats_baseline_by']:.4f}.",
        *(["", "**Promises that were not kept:** " + "; ".join(missed) + "."] if missed else []),
        "",
        "## Limits",
        "",
        "The data is simulated: the numbers say how well the rule was learnt, not how the world behaves.",
    ]
    return "\n".join(lines) + "\n"


def promised(settings: dict, name: str) -> str:
    limit = settings["promises"].get(name, {})
    texts = [f"at least {limit['min']}"] if "min" in limit else []
    return ", ".join(texts + ([f"at most {limit['max']}"] if "max" in limit else []))


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
