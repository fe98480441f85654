/** An element: attributes begin with `@`, texts are under `#text`. */
export type XmlNode = Readonly<Record<string, unknown>>;

/** Parses XML that a stranger wrote, and replaces no entities; undefined if it cannot be read, or declares types. */
export async function parseXml(xml: string, arrays: readonly string[]): Promise<XmlNode | undefined> {
  if (hasDeclarations(xml)) return undefined;
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    processEntities: false,
    parseTagValue: false,
    parseAttributeValue: false,
    isArray: (name) => arrays.includes(name),
  });
  try {
    return parser.parse(xml) as XmlNode;
  } catch {
    return undefined;
  }
}

/**
 * Whether a text declares types or entities, other than in what a program has said: its comments and unparsed texts. One behind
 * the beginning of a comment in an attribute, where no XML has any, is not seen, and means nothing.
 */
function hasDeclarations(xml: string): boolean {
  for (let at = xml.indexOf("<!"); at !== -1; at = xml.indexOf("<!", at)) {
    const end = xml.startsWith("<!--", at) ? "-->" : xml.startsWith("<![CDATA[", at) ? "]]>" : undefined;
    if (end === undefined && /^<!(?:DOCTYPE|ENTITY)/.test(xml.slice(at, at + 10))) return true;
    const next = end === undefined ? at + 2 : xml.indexOf(end, at + 4);
    if (next === -1) return false;
    at = next;
  }
  return false;
}
