export default {
  "/site/comments": ({ add, after, before, replace, read, write }) => {
    add("src/comments.js", "assets/comments.js", "assets/comments-main.js", "test/comments.test.js");
    before("src/page.js", /^import .*frame\.js";\n/m, 'import { commentsHtml } from "./comments.js";\n');
    after("src/page.js", /^ {6}features\.includes\("previous_next"\).*\n/m, "      commentsHtml(settings, page),\n");
    after(
      "src/frame.js",
      /^ {4}\.\.\.\(features\.includes\("copy_buttons"\).*\n/m,
      "    ...(settings.comments === undefined ? [] : ['<script type=\"module\" src=\"/assets/comments-main.js\"></script>']),\n",
    );
    before("src/server.js", /^const types = /m, 'import { commentSources } from "./comments.js";\n\n');
    replace(
      "src/server.js",
      /"content-security-policy": "default-src 'self'; img-src 'self' data: https:;/,
      "\"content-security-policy\": `default-src 'self' ${commentSources.join(\" \")}; img-src 'self' data: https:;",
    );
    replace("src/server.js", "frame-ancestors 'none'\",", "frame-ancestors 'none'`,");
    const site = JSON.parse(read("site.json"));
    if (site.comments === undefined)
      write("site.json", `${JSON.stringify({ ...site, comments: { site: "tidepool-manual" } }, undefined, 2)}\n`);
  },
};
