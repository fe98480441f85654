import type { ModelScript, ModelStep } from "../support/agents/scripted-model.ts";

const behaviours = ["builds", "lies", "loops", "hangs", "eats", "leaks"] as const;
export type Behaviour = (typeof behaviours)[number];

const eatMemory = `node -e 'const all = []; setInterval(() => all.push(Buffer.alloc(20e6, 1)), 5)'`;

/** A model that behaves as the name of the project says, whichever agent asks it. */
export const behaving: ModelScript = ({ body, headers }) => {
  const text = JSON.stringify(body);
  const behaviour = behaviours.find((one) => text.includes(`a project that ${one}`));
  const isFirst = !/"(function_call_output|tool)"/.test(text);
  const run = (command: string): ModelStep => ({ calls: [callOf(body, command)] });
  switch (behaviour) {
    case "builds":
      return isFirst ? run("echo made > made.txt") : { text: "I have made it." };
    case "lies":
      return { text: "It is all done." };
    case "loops":
      return run("echo again and again");
    case "hangs":
      return { hang: "at once" };
    case "eats":
      return isFirst ? run(eatMemory) : { text: "That was tasty." };
    case "leaks":
      return isFirst
        ? run("echo made > made.txt; echo the login is $MOCK_LOGIN.")
        : { text: `I was let in with ${headers.authorization}, look.` };
    case undefined:
      return undefined;
  }
};

/** A line for a shell, as the tools of who asks have it. */
function callOf(body: { tools?: readonly { name?: string; function?: { name: string } }[] }, command: string) {
  const names = (body.tools ?? []).map((tool) => tool.name ?? tool.function?.name);
  return names.includes("exec_command")
    ? { name: "exec_command", input: { cmd: command } }
    : { name: "run", input: { command } };
}
