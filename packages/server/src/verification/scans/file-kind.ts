/**
 * How a file's text is read; `foreign` is a programming language without rules of ours, `unsure` whatever programs may take for
 * code though its name does not say so.
 */
export type FileKind =
  | "script"
  | "page"
  | "python"
  | "dockerfile"
  | "shell"
  | "manifest"
  | "foreign"
  | "text"
  | "unsure";

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

const graphics = /\.(?:svg|xml)$/i;
const media =
  /\.(?:png|jpe?g|gif|webp|avif|ico|icns|bmp|tiff?|woff2?|ttf|otf|eot|mp3|mp4|m4a|m4v|wav|og[gv]|flac|webm|mov|avi|pdf)$/i;

/** Whether a name says that the file is shown or played. */
export function isNamedMedia(path: string): boolean {
  return media.test(path);
}

/** Which rules read a file: by its name and its first line; for other names what stands in it tells. */
export function kindOf(path: string, text: string): FileKind {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const shebang = /^\ufeff?#![^\n]{1,200}/.exec(text)?.[0];
  const extension = /\.([A-Za-z0-9]{1,13})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const named = byName.find(([pattern]) => pattern.test(name))?.[1] ?? byExtension[extension];
  if (named !== undefined) return named;
  if (shebang !== undefined) return byShebang.find(([pattern]) => pattern.test(shebang))?.[1] ?? "text";
  if (name === "package.json") return "text";
  if (graphics.test(name) && /<script\b/i.test(text)) return "page";
  return isDockerfile(text.slice(0, 64 * 1024)) ? "dockerfile" : "unsure";
}

function isDockerfile(text: string): boolean {
  return (
    /^[^\S\r\n\u2028\u2029]*FROM[^\S\r\n\u2028\u2029]+\S[\s\S]{0,4000}?^[^\S\r\n\u2028\u2029]*(?:RUN|CMD|ENTRYPOINT|COPY)\s/m.test(
      text,
    ) && !/^#{1,3} /m.test(text)
  );
}

function kinds(kind: FileKind, extensions: string): Record<string, FileKind> {
  return Object.fromEntries(extensions.split(" ").map((extension) => [extension, kind]));
}
