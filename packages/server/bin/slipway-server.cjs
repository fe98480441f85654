"use strict";
// Not TypeScript: Node's compile cache has what was stripped of its types, and this file is what turns the cache on.
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { findBundle } = require("./find-bundle.cjs");

require("node:module").enableCompileCache(path.resolve(__dirname, "../../../node_modules/.cache/slipway"));
const bundle = findBundle(path.resolve(__dirname, "../dist/service"));
if (bundle) import(pathToFileURL(bundle).href);
else import("../src/main.ts");
