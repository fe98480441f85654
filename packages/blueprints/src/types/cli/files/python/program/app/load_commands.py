"""Finds the commands."""

from importlib import import_module
from pathlib import Path


def load_commands():
    """Every module in the folder `commands`, by name, in the order in which help shows them."""
    files = (Path(__file__).parent / "commands").glob("*.py")
    modules = [import_module(f"app.commands.{file.stem}") for file in sorted(files) if file.stem != "__init__"]
    return {module.NAME: module for module in sorted(modules, key=lambda module: module.ORDER)}
