#!/usr/bin/env python3
"""A worker for Slipway: SLIPWAY_URL=… SLIPWAY_TOKEN=… worker.py <agent id> <command> [arguments…]
The command runs in the project's folder, in no sandbox, and finds what to do on its standard input."""
import io, json, os, subprocess, sys, tarfile, tempfile, threading, time, urllib.parse, urllib.request

url, token, (agent, *command) = os.environ["SLIPWAY_URL"].rstrip("/"), os.environ["SLIPWAY_TOKEN"], sys.argv[1:]

def call(method, path, body=None, media="application/json"):
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    headers = {"Authorization": f"Bearer {token}", "Content-Type": media}
    with urllib.request.urlopen(urllib.request.Request(url + path, data, headers, method=method), timeout=90) as answer:
        return answer.read()

def work(lease, folder):
    own, fence = f"/api/v1/leases/{lease['lease_id']}", lease["fence"]
    git = lambda *args: subprocess.run(["git", *args], cwd=folder, check=True, stdout=subprocess.PIPE).stdout
    safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11.4 and newer.
    tarfile.open(fileobj=io.BytesIO(call("GET", lease["source_url"]))).extractall(folder, **safely)
    git("init", "-q")
    with open(f"{folder}/.git/info/attributes", "w") as attributes:  # Bytes as they are, whatever the project says.
        attributes.write("* -text -ident -filter !working-tree-encoding\n")
    git("add", "--all", "--force")
    git("-c", "user.name=worker", "-c", "user.email=worker@localhost", "commit", "-qm", "given", "--allow-empty")
    run = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    over, out = threading.Event(), ""

    def tell(sent=0):  # What the command wrote is a sign of life; where it wrote nothing, a heartbeat is.
        while sent < len(out) or not over.is_set():
            over.wait(0 if len(out) - sent > 100_000 else lease["heartbeat_seconds"])
            text = out[sent:sent + 100_000]
            event = {"sequence": sent + 1, "type": "log", "stream": "stdout", "text": text}
            try:
                what = ("events", {"fence": fence, "events": [event]}) if text else ("heartbeat", {"fence": fence})
                if json.loads(call("POST", f"{own}/{what[0]}", what[1]))["is_cancelled"]:
                    run.kill()
                sent += len(text)
            except OSError as error:  # The service restarts, say: it hears of us the next time.
                if getattr(error, "code", 503) in range(400, 429): return run.kill()  # The task is somebody else's.
                time.sleep(1)

    (telling := threading.Thread(target=tell, daemon=True)).start()
    threading.Thread(target=lambda: (run.stdin.write(lease["prompt"].encode()), run.stdin.close()), daemon=True).start()
    for line in run.stdout:
        out += line.decode(errors="replace").replace("\0", "")
    code = run.wait()
    end = {"fence": fence, "outcome": "failed", "message": f"It ended with {code}: {out[-1000:]}"}
    if code == 0:
        git("add", "--all")
        end = {"fence": fence, "outcome": "done", "patch": f"patches/{lease['lease_id']}.patch"}
        query = urllib.parse.urlencode({"type": "patch", "path": end["patch"], "lease_id": lease["lease_id"], "fence": fence})
        patch = git("diff", "--cached", "--binary", "HEAD")
        call("POST", f"/api/v1/projects/{lease['project_id']}/artifacts?{query}", patch, "application/octet-stream")
    over.set()
    telling.join()
    call("POST", f"{own}/complete", end)

while True:
    if claimed := call("POST", f"/api/v1/agents/{agent}/claim", {"wait_seconds": 30}):
        with tempfile.TemporaryDirectory() as folder:
            work(json.loads(claimed), folder)
