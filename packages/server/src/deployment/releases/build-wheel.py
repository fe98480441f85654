"""Builds one wheel of the project in this folder, without a network: `python3 -I - <output folder>`.

The project's own build tool does it where pip and that tool are installed. Where they are not, a package of plain Python
needs none: a wheel is a zip archive with a few lists in it (PEP 427). It is stored uncompressed, so that it can be searched.
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

MAX_BYTES = 64 * 1024 * 1024
output = Path(sys.argv[1])
fallback_name = os.environ["SLIPWAY_PACKAGE"]


def main():
    has_manifest = any(Path(name).is_file() for name in ("pyproject.toml", "setup.py", "setup.cfg"))
    if has_manifest and build_by_own_tool():
        return
    if not Path("pyproject.toml").is_file() and has_manifest:
        sys.exit("This package is described by setup.py or setup.cfg, which needs pip, setuptools and wheel here.")
    write_wheel(read_project())


def build_by_own_tool():
    """Whether pip could build it with what is installed."""
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-q"]
    ended = subprocess.run([*command, "-w", str(output), "."], capture_output=True, text=True)
    made = list(output.glob("*.whl"))
    if ended.returncode == 0 and len(made) == 1:
        store(made[0])
        return True
    for path in made:
        path.unlink()
    print(ended.stderr[-2000:], file=sys.stderr)
    return False


def store(path):
    """Writes a wheel again without compression."""
    packed = path.with_suffix(".packed")
    path.rename(packed)
    with zipfile.ZipFile(packed) as before:
        require_small(sum(entry.file_size for entry in before.infolist()))
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as after:
            for entry in before.infolist():
                content = before.read(entry)
                entry.compress_type = zipfile.ZIP_STORED
                after.writestr(entry, content)
    packed.unlink()


def read_project():
    text = Path("pyproject.toml").read_bytes() if Path("pyproject.toml").is_file() else b""
    project = parse_toml(text).get("project", {})
    name = project.get("name", fallback_name)
    if not re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?", str(name)):
        sys.exit("project.name in pyproject.toml is not a valid name for a package.")
    files = find_files()
    version = project.get("version") or written_version(files)
    if not re.fullmatch(r"\d[A-Za-z0-9.+!]{0,49}", str(version)):
        sys.exit("project.version in pyproject.toml is not a valid version.")
    return {**project, "name": name, "version": version, "files": files}


def parse_toml(text):
    if text == b"":
        return {}
    try:
        import tomllib
    except ImportError:
        sys.exit("Reading pyproject.toml needs Python 3.11, or pip and the project's build tool.")
    return tomllib.loads(text.decode("utf-8"))


def find_files():
    """The files of all packages and modules, each with its path in the wheel."""
    root = Path("src") if Path("src").is_dir() and not Path("src/__init__.py").is_file() else Path(".")
    found = []
    for entry in sorted(root.iterdir()):
        if entry.is_symlink() or re.match(r"tests?\b|test_|setup\.py$|conftest|noxfile", entry.name):
            continue
        if entry.is_dir() and (entry / "__init__.py").is_file():
            found += [(path, path.relative_to(root).as_posix()) for path in walk(entry)]
        elif entry.suffix == ".py" and entry.is_file():
            found.append((entry, entry.name))
    if any(path.suffix in (".pyx", ".c", ".cpp", ".rs", ".f90") for path, _ in found):
        sys.exit("This package has parts to compile, which needs pip and the project's build tool here.")
    if not found:
        sys.exit("There is no Python package here: a folder with an __init__.py, at the top or in src.")
    require_small(sum(path.stat().st_size for path, _ in found))
    return found


def walk(folder):
    """Regular files only: a link may lead anywhere, and a pipe has no end."""
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink() or entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield from walk(entry)
        elif entry.is_file() and entry.suffix != ".pyc":
            yield entry


def written_version(files):
    for path, name in files:
        if name.count("/") == 1 and name.endswith("/__init__.py"):
            match = re.search(r"^__version__\s*=\s*['\"]([^'\"]+)", path.read_text("utf-8", "replace"), re.M)
            if match:
                return match[1]
    return "0.0.0"


def write_wheel(project):
    name = re.sub(r"[-_.]+", "_", project["name"])
    info = f"{name}-{project['version']}.dist-info"
    contents = [(place, path.read_bytes()) for path, place in project["files"]]
    contents.append((f"{info}/METADATA", metadata_of(project).encode()))
    contents.append((f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: slipway\nRoot-Is-Purelib: true\nTag: py3-none-any\n"))
    scripts = [f"{line(key)} = {line(value)}" for key, value in project.get("scripts", {}).items()]
    if scripts:
        contents.append((f"{info}/entry_points.txt", "\n".join(["[console_scripts]", *scripts, ""]).encode()))
    records = [f"{csv(place)},sha256={digest(content)},{len(content)}" for place, content in contents]
    record = "\n".join([*records, f"{info}/RECORD,,", ""])
    contents.append((f"{info}/RECORD", record.encode()))
    with zipfile.ZipFile(output / f"{name}-{project['version']}-py3-none-any.whl", "w", zipfile.ZIP_STORED) as wheel:
        for place, content in contents:
            entry = zipfile.ZipInfo(place)
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, content)


def metadata_of(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}"]
    if "description" in project:
        lines.append(f"Summary: {line(project['description'])}")
    if "requires-python" in project:
        lines.append(f"Requires-Python: {line(project['requires-python'])}")
    lines += [f"Requires-Dist: {line(one)}" for one in project.get("dependencies", [])]
    return "\n".join([*lines, ""])


def line(value):
    return " ".join(str(value).split())


def csv(text):
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",\n]', text) else text


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def require_small(size):
    if size > MAX_BYTES:
        sys.exit(f"The package is larger than {MAX_BYTES // 2**20} MiB.")


main()
