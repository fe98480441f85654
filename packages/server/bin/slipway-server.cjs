"use strict";
// Not TypeScript: Node's compile cache has what was stripped of its types, and this file is what turns the cache on.
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { findBundle } = require("./find-bundle.cjs");

require("node:module").enableCompileCache(compileCache(__dirname));
const bundle = findBundle(path.resolve(__dirname, "../dist/service"));
if (bundle) import(pathToFileURL(bundle).href);
else import("../src/main.ts");

/** In the `node_modules` that we are installed in, or in that of the repository. */
function compileCache(from) {
  const [, installed] = /^(.*?[\\/]node_modules)[\\/]/.exec(from) ?? [];
  return path.join(installed ?? path.resolve(from, "../../../node_modules"), ".cache/slipway");
}
