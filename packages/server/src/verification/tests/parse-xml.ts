/** An element: attributes begin with `@`, texts are under `#text`. */
export type XmlNode = Readonly<Record<string, unknown>>;

/** Parses XML that a stranger wrote: no document types, no entities; undefined if it cannot be read. */
export async function parseXml(xml: string, arrays: readonly string[]): Promise<XmlNode | undefined> {
  if (xml.includes("<!DOCTYPE") || xml.includes("<!ENTITY")) return undefined;
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
