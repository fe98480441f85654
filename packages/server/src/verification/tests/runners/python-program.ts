/**
 * Runs pytest or unittest in a process of ours and writes the reports. Everything that it needs is imported before the
 * project's folder joins the path, so that a `pytest.py` or `json.py` of the project is never taken for the real one.
 */
export const pythonProgram = `
import ast, glob, json, os, site, sys, time, traceback, unittest
from xml.sax.saxutils import quoteattr

kind, reports, measures = sys.argv[1:4]
words = sys.argv[4:]
here = os.getcwd()
version = "python%d.%d" % sys.version_info[:2]
for name in (".venv", "venv", "env"):
    for folder in glob.glob(os.path.join(here, name, "lib", version, "site-packages")):
        before = list(sys.path)
        site.addsitedir(folder)
        sys.path[:] = [p for p in sys.path if p not in before] + before
pytest = coverage = None
if kind == "pytest":
    try:
        import pytest
    except ImportError:
        sys.exit("pytest is not installed")
if measures == "coverage":
    try:
        import coverage
    except ImportError:
        pass

# By themselves: a class of the project may have any name.
not_loaded, around_tests = unittest.loader._FailedTest, unittest.suite._ErrorHolder

def file_around(name):
    parts = name[name.rfind("(") + 1:].rstrip(")").split(".")
    while parts and ".".join(parts) not in sys.modules:
        parts.pop()
    return getattr(sys.modules.get(".".join(parts)), "__file__", "") or ""

class Result(unittest.TextTestResult):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.cases, self.began = [], {}
    def startTest(self, test):
        self.began[id(test)] = time.perf_counter()
        super().startTest(test)
    def note(self, test, outcome, message=""):
        seconds = time.perf_counter() - self.began.get(id(test), time.perf_counter())
        module = sys.modules.get(type(test).__module__)
        path = getattr(module, "__file__", "") or ""
        name = getattr(test, "_testMethodName", str(test))
        group, is_test = type(test).__qualname__, True
        if type(test) is around_tests:
            path, group, is_test = file_around(name), "", False
        if type(test) is not_loaded:
            path, group, is_test = name.replace(".", os.sep) + ".py", "", False
            if not os.path.exists(path):
                path = next(iter(glob.glob(os.path.join("**", path), recursive=True)), path)
        outcome = outcome if is_test or outcome == "skipped" else "not loaded"
        self.cases.append((os.path.relpath(path) if path else "", group, name, outcome, seconds, message))
    def addSuccess(self, test):
        super().addSuccess(test); self.note(test, "passed")
    def addFailure(self, test, error):
        super().addFailure(test, error); self.note(test, "failed", told(error))
    def addError(self, test, error):
        super().addError(test, error)
        self.note(test, "failed", why_not_loaded(error) if type(test) is not_loaded else told(error))
    def addSkip(self, test, reason):
        super().addSkip(test, reason); self.note(test, "skipped")
    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error); self.note(test, "skipped")
    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test); self.note(test, "failed", "passed, but was expected to fail")
    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.note(test, "failed", str(subtest) + ": " + told(error))

def why_not_loaded(error):
    lines = [line.strip() for line in str(error[1]).strip().splitlines()]
    places = [line for line in lines if line.startswith("File ")]
    return ": ".join((places[-1:] + lines[-1:]))[:2000]

def told(error):
    return "".join(traceback.format_exception_only(error[0], error[1]))[:2000]

def statements(path):
    tree = ast.parse(open(path, "rb").read())
    lines, functions = set(), []
    def has_code(node):
        if isinstance(node, (ast.Global, ast.Nonlocal)): return False
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant): return False
        return not (isinstance(node, ast.AnnAssign) and node.value is None)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and has_code(node): lines.add(node.lineno)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = sorted({n.lineno for b in node.body for n in ast.walk(b) if isinstance(n, ast.stmt) and has_code(n)})
            if inner: functions.append((node.name, node.lineno, inner))
    return lines, functions

left_out = {"node_modules", "venv", "env", "build", "dist", "__pycache__", "site-packages"}
known, meter = {}, None
if coverage is not None:
    for folder, folders, files in os.walk(here):
        folders[:] = [n for n in folders if not n.startswith(".") and n not in left_out]
        for name in files:
            path = os.path.join(folder, name)
            if name.endswith(".py") and len(known) < 20000 and not os.path.islink(path):
                try: known[path] = statements(path)
                except (SyntaxError, ValueError, OSError, RecursionError): pass
    meter = coverage.Coverage(data_file=None, config_file=False, source=[here])
    meter.start()
sys.path.insert(0, here)
sys.argv = [kind, *words]
write, dump, attribute = open, json.dumps, quoteattr
report = os.path.join(reports, "junit.xml")
def refuse(why):
    try: os.remove(report)
    except OSError: pass
    sys.exit("The run was stopped before " + why + " had ended.")

def write_cases(name, cases):
    with write(os.path.join(reports, name), "w", encoding="utf-8", errors="replace") as file:
        file.write("<testsuites>")
        for path, group, name, outcome, seconds, message in cases:
            ok = lambda text: attribute("".join(c if c >= " " else " " for c in text))
            file.write("<testcase file=%s classname=%s name=%s time='%.6f'>" % (ok(path), ok(group), ok(name), seconds))
            if outcome == "failed": file.write("<failure message=%s/>" % ok(message))
            if outcome == "not loaded": file.write("<error type='collection failure' message=%s/>" % ok(message))
            if outcome == "skipped": file.write("<skipped/>")
            file.write("</testcase>")
        file.write("</testsuites>")

def watched(**place):
    return lambda function: pytest.hookimpl(hookwrapper=True, **place)(function) if pytest else function

class Watch:
    """Who stops a run early hides the tests that come after; who leaves some out must not do so in silence."""
    def __init__(self):
        self.wanted, self.ended, self.is_stopped, self.left_out = set(), set(), False, []
        self.failed = {}
    @watched(tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        found = [item.nodeid for item in items]
        yield
        left = {item.nodeid for item in items}
        self.left_out += [one for one in found if one not in left]
    def pytest_collection_finish(self, session):
        self.wanted = {item.nodeid for item in session.items}
    def pytest_runtest_logfinish(self, nodeid):
        self.ended.add(nodeid)
    # Inside of all plugins: one that repeats a test changes what is reported of the tries that failed.
    @watched(trylast=True)
    def pytest_runtest_makereport(self, item, call):
        made = yield
        if made.get_result().failed and item.nodeid not in self.failed:
            self.failed[item.nodeid] = told((call.excinfo.type, call.excinfo.value)) if call.excinfo else ""
    # Tests in other processes are known by their reports alone: plugins call a try that failed "rerun" or "retried".
    def pytest_runtest_logreport(self, report):
        if report.outcome not in ("passed", "failed", "skipped"):
            self.failed.setdefault(report.nodeid, str(report.longreprtext)[:2000])
    def pytest_keyboard_interrupt(self):
        self.is_stopped = True

def parts_of(nodeid):
    path, _, rest = nodeid.partition("::")
    names, bracket, parameters = rest.partition("[")
    *groups, name = names.split("::")
    return path, groups, name + bracket + parameters

if kind == "pytest":
    watch = Watch()
    extra = ["--junitxml=" + report, "-o", "junit_family=xunit1", "--continue-on-collection-errors", "--maxfail=0", "-k", ""]
    code = int(pytest.main([*words, *extra, "-p", "no:cacheprovider"], plugins=[watch]))
    never = len(watch.wanted - watch.ended)
    if watch.is_stopped or (never > 0 and watch.ended):
        refuse("%d of its tests" % max(never, 1))
    parts = [parts_of(one) for one in watch.left_out]
    write_cases("left-out.xml", [(path, ".".join(groups), name, "skipped", 0, "") for path, groups, name in parts])
    parts = [(*parts_of(one), message) for one, message in watch.failed.items()]
    # With the class as pytest writes it, so that the names are the same.
    module = lambda path, groups: ".".join([path[:-3].replace("/", "."), *groups])
    write_cases("failed-once.xml", [(p, module(p, groups), name, "failed", 0, message) for p, groups, name, message in parts])
else:
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=2)
    program = unittest.main(module=None, argv=["python3 -m unittest", *words], exit=False, testRunner=runner)
    code = 0 if program.result.wasSuccessful() else 1
    if program.result.shouldStop:
        refuse("its tests")
    write_cases("junit.xml", program.result.cases)
if meter is not None:
    meter.stop()
    data = meter.get_data()
    ran = {path: set(data.lines(path) or ()) for path in data.measured_files()}
    found = {}
    for path, (lines, functions) in known.items():
        hit = ran.get(path, set())
        found[os.path.relpath(path, here)] = {
            "lines": {str(n): int(n in hit) for n in sorted(lines)},
            "functions": [[name, at, int(any(n in hit for n in inner))] for name, at, inner in functions],
        }
    with write(os.path.join(reports, "lines.json"), "w") as file:
        file.write(dump(found))
sys.exit(code)
`.trim();
