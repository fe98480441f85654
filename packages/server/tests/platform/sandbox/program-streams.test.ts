import { closeSync, constants, openSync, readdirSync, readlinkSync, writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { sandboxFor, ways } from "../../support/sandboxes.ts";
import { until } from "../../support/until.ts";

test.for(ways)("a program cannot send open files through its streams, %s", async (way) => {
  const { start } = sandboxFor(way);
  const program = `import array, os, socket
sent = array.array("i", [os.open(".", os.O_RDONLY)])
for stream in range(3):
  try:
    socket.socket(fileno=stream).sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)])
  except OSError as error:
    print(stream, error.strerror)`;
  const { child } = await start({ command: ["python3", "-c", program], stdin: "pipe" });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), child.ended]);
  const refusal = "Socket operation on non-socket";
  expect({ stdout, stderr }).toEqual({ stdout: `0 ${refusal}\n1 ${refusal}\n2 ${refusal}\n`, stderr: "" });
});

test.for(ways)("a program reads to the end of its input, and opens its output by name, %s", async (way) => {
  const { start } = sandboxFor(way);
  const command = "cat > /dev/stdout; echo heard > /dev/stderr";
  const { child } = await start({ command, stdin: "pipe" });
  const said = "word\n".repeat(100_000);
  child.stdin!.end(said);
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), child.ended]);
  expect(stdout).toBe(said);
  expect(stderr).toBe("heard\n");
  expect(end).toMatchObject({ is: "exited", exitCode: 0 });
});

test("programs that start at once have streams of their own, and few pipes wait for the next", {
  tags: "long",
}, async () => {
  const { run } = sandboxFor("plain");
  const openPipes = () =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).includes("/pipe-");
      } catch {
        // The one that read the folder.
        return false;
      }
    });
  const numbers = Array.from({ length: 40 }, (_, index) => String(index));
  const said = await Promise.all(numbers.map((number) => run({ command: `echo ${number}; echo ${number} >&2` })));
  expect(said.map(({ stdout }) => stdout)).toEqual(numbers.map((number) => `${number}\n`));
  expect(said.map(({ stderr }) => stderr)).toEqual(numbers.map((number) => `${number}\n`));
  await until(() => openPipes().length < 20);
});

test.for(ways)("a program's output ends with its processes, whoever else holds it and writes on, %s", async (way) => {
  const { start } = sandboxFor(way);
  const { child } = await start({ command: "echo begun; exec sleep 1000" });
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  // As it is for a program of somebody else that was sent it through a socket.
  const held = openSync(`/proc/${child.pid}/fd/1`, constants.O_WRONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(held));
  child.stdout.once("data", () => child.kill({ graceMs: 0 }));
  await child.ended;
  expect(await stdout).toBe("begun\n");
  expect(await stderr).toBe("");
  expect(() => writeSync(held, "of somebody else")).toThrow("EPIPE");
});

test("what a program wrote last is whole, though somebody holds its output, and nobody has read it yet", async () => {
  const { start } = sandboxFor("plain");
  const program = `import fcntl
fcntl.fcntl(1, 1031, 1 << 20)
input()
print("x" * ((1 << 20) - 1))`;
  const { child } = await start({ command: ["python3", "-c", program], stdin: "pipe" });
  const held = openSync(`/proc/${child.pid}/fd/1`, constants.O_WRONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(held));
  child.stdin!.end("\n");
  await child.ended;
  expect((await text(child.stdout)).length).toBe(1 << 20);
});
