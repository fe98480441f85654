/** Every link of the site that leads nowhere, and those to other hosts; the site's own address is not another. */
export function checkLinks(files, own = "") {
  const broken = [];
  const anchors = [];
  const others = [];
  for (const [page, html] of files) {
    if (!html.startsWith("<!doctype html>")) continue;
    for (const written of targetsIn(html)) {
      const target = own !== "" && written.startsWith(`${own}/`) ? written.slice(own.length) : written;
      if (/^mailto:/i.test(target)) continue;
      const address = addressOf(target, page);
      if (address === undefined) {
        broken.push({ page, target });
        continue;
      }
      if (address.host !== "site.invalid") {
        others.push({ page, target });
        continue;
      }
      const there = files.get(address.path) ?? files.get(`${address.path}/`);
      const { id } = address;
      if (there === undefined) broken.push({ page, target });
      else if (id !== "" && !there.includes(` id="${id}"`)) anchors.push({ page, target });
    }
  }
  return { broken, anchors, others };
}

/** Where a link leads; nothing if it cannot be read. */
function addressOf(target, page) {
  try {
    const { host, pathname, hash } = new URL(target, `http://site.invalid${page}`);
    return { host, path: decodeURI(pathname), id: decodeURIComponent(hash.slice(1)) };
  } catch {
    return undefined;
  }
}

function targetsIn(html) {
  const found = html.matchAll(/ (?:href|src|data-index)="([^"]*)"/g);
  return [...found].map(([, target]) => target.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)));
}
