"use strict";
// Not TypeScript: Node's compile cache has what was stripped of its types, and this file is what turns the cache on.
const path = require("node:path");

require("node:module").enableCompileCache(path.resolve(__dirname, "../../../node_modules/.cache/slipway"));
import("../src/main.ts");
