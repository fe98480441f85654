/** How a file's text is read; `foreign` is a programming language without rules of ours. */
export type FileKind = "script" | "page" | "python" | "dockerfile" | "shell" | "manifest" | "foreign" | "text";

const byExtension: Readonly<Record<string, FileKind>> = {
  ...kinds("script", "js mjs cjs jsx ts mts cts tsx es6 jsm gs"),
  ...kinds("page", "html htm xhtml vue svelte astro ejs hbs"),
  ...kinds("python", "py pyw pyi wsgi ipy"),
  ...kinds("shell", "sh bash zsh ksh dash bats envrc"),
  ...kinds("manifest", "yml yaml"),
  ...kinds("dockerfile", "dockerfile containerfile"),
  ...kinds(
    "foreign",
    "go rs java kt kts scala rb erb php phtml c cc cpp cxx h hpp cs fs vb swift m mm dart lua pl pm r jl ex exs erl hs clj groovy ps1 psm1 bat cmd vbs asp aspx jsp cfm tcl nim zig sol",
  ),
};

const byName: readonly (readonly [RegExp, FileKind])[] = [
  [/^(?:[\w.-]+\.)?(?:docker|container)file(?:\.[\w.-]+)?$/i, "dockerfile"],
  [
    /^(?:makefile|gnumakefile|justfile|\.bashrc|\.bash_profile|\.profile|\.zshrc|configure|gradlew|procfile|jenkinsfile)$/i,
    "shell",
  ],
  [/^(?:rakefile|gemfile|vagrantfile|podfile|[\w-]+\.gemspec)$/i, "foreign"],
  [/^(?:sconstruct|snakefile|wscript)$/i, "python"],
];

const byShebang: readonly (readonly [RegExp, FileKind])[] = [
  [/\b(?:node|deno|bun|ts-node|tsx|zx)\b/, "script"],
  [/\bpython[\d.]*\b/, "python"],
  [/\b(?:ba|z|k|da|a)?sh\b/, "shell"],
  [/\S/, "foreign"],
];

/** Text that is data or prose; it is read as code only if it plainly is code. */
const plainText = /\.(?:json|jsonc|json5|lock|svg|csv|tsv|map|sql|css|scss|less|xml|toml|ini|properties|po|snap)$/i;

/** Which rules read a file: by its name, its first line, and for odd names by what stands in it. */
export function kindOf(path: string, text: string): FileKind {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const shebang = /^\ufeff?#![^\n]{1,200}/.exec(text)?.[0];
  const extension = /\.([A-Za-z0-9]{1,13})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const named = byName.find(([pattern]) => pattern.test(name))?.[1] ?? byExtension[extension];
  if (named !== undefined) return named;
  if (shebang !== undefined) return byShebang.find(([pattern]) => pattern.test(shebang))?.[1] ?? "text";
  return plainText.test(name) ? "text" : byContent(text.slice(0, 64 * 1024));
}

/** Node runs a file of any name, so does Python. Prose about code has most of these signs too, but not at line starts. */
function byContent(text: string): FileKind {
  if (
    /^[^\S\r\n\u2028\u2029]*FROM[^\S\r\n\u2028\u2029]+\S[\s\S]{0,4000}?^[^\S\r\n\u2028\u2029]*(?:RUN|CMD|ENTRYPOINT|COPY)\s/m.test(
      text,
    ) &&
    !/^#{1,3} /m.test(text)
  )
    return "dockerfile";
  if (/^(?:```|#{1,6} |={3,}$)/m.test(text)) return "text";
  const isPython =
    /^(?:def \w{1,60}\(.{0,300}\)(?: -> .{1,60})?:|from [\w.]{1,80} import |import (?:os|sys|re|json|subprocess|pickle)\b|class \w{1,60}(?:\(.{0,100}\))?:)/m.test(
      text,
    );
  if (isPython) return "python";
  const isScript =
    /^\s{0,8}(?:(?:const|let|var) [\w{[][^\n]{0,200}=|import [^\n]{0,200}from ["']|(?:async )?function\b[^\n]{0,100}\(|module\.exports|exports\.\w{1,60} ?=|require\(|["']use strict["']|eval\(|process\.|globalThis\.)/m.test(
      text,
    );
  if (isScript) return "script";
  return "text";
}

function kinds(kind: FileKind, extensions: string): Record<string, FileKind> {
  return Object.fromEntries(extensions.split(" ").map((extension) => [extension, kind]));
}
