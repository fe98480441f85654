import { boolean, either, integer, list, map, number, object, oneOf, sameAs, string } from "../schema/shape.ts";

const path = (description: string, example: string) =>
  string(description, {
    pattern: "^/(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*/?)?$",
    patternErrorMessage: "a path of letters, digits, '-', '_' and '.', such as '/guide/install/'",
    examples: [example],
  });

const code = (description: string) =>
  string(description, {
    pattern: "^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$",
    patternErrorMessage: "a language tag such as 'en' or 'pt-BR'",
    examples: ["en"],
  });

const text = (description: string, example: string) => string(description, { examples: [example] });

const licence = text("The licence of the text, shown below each page.", "CC-BY-4.0");

const site = object("The site as a whole.", {
  title: text("The name of the site; that of the document unless given.", "A Field Guide to HTTP Caching"),
  language: code("The language of its pages: `en` unless given."),
  licence,
  license: sameAs("licence", licence),
  address: string("Where the site will live, for its site map.", {
    pattern: "^https?://[^\\s/]+(?:/[^\\s]*)?$",
    patternErrorMessage: "an address such as 'https://docs.example.org'",
    examples: ["https://docs.example.org"],
  }),
  theme: object("How it looks.", {
    accent: string("The colour of links; it is made darker or lighter until it is readable.", {
      pattern: "^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$",
      patternErrorMessage: "a colour such as '#1a2b3c'",
      examples: ["#7a3b1d"],
    }),
    font: string("The font of the text: `Georgia` unless given.", {
      pattern: "^[A-Za-z0-9 _-]{1,40}$",
      patternErrorMessage: "the name of a font, such as 'Georgia'",
      examples: ["Georgia"],
    }),
    dark_mode: boolean("Whether it is dark where the reader's system is: yes unless given.", { examples: [false] }),
    width_characters: integer("How many characters fit into a line: 70 unless given.", {
      minimum: 30,
      maximum: 140,
      examples: [68],
    }),
    min_contrast: number("The contrast that all text has at least: 4.5 unless given.", {
      minimum: 3,
      maximum: 12,
      examples: [7],
    }),
  }),
  search: either("The search box: yes unless given.", [
    boolean("Whether there is one.", { examples: [false] }),
    object("What it searches.", {
      index: path("Where its index is served: `/search-index.json` unless given.", "/search-index.json"),
      fields: list(
        "What of a page is searched: all of it unless given.",
        oneOf(
          "A part of a page.",
          { title: "Its title.", headings: "Its headings.", text: "Its text." },
          { examples: ["title"] },
        ),
      ),
    }),
  ]),
  features: list(
    "What pages have: all of these unless given.",
    oneOf(
      "Something that pages have.",
      {
        table_of_contents: "The headings of a page, above its text.",
        previous_next: "Links to the pages before and after.",
        heading_anchors: "A link at each heading.",
        print_stylesheet: "A print without navigation.",
        copy_buttons: "A button at each code sample that copies it.",
      },
      { examples: ["copy_buttons"] },
    ),
  ),
  external_links: boolean(
    "Whether pages may link to other hosts: yes unless given. With `false` the build refuses it.",
    {
      examples: [false],
    },
  ),
  not_found: object("The page for addresses that do not exist.", {
    title: text("Its title.", "There is no such page"),
    body: text("Its text, in Markdown.", "Try the [start](/)."),
  }),
});

const section = object("A part of a page, with a heading of its own.", {
  title: text("Its heading.", "Install it"),
  body: text("Its text, in Markdown.", "Run `npm install`."),
});

const page = object("A page.", {
  id: string("Its name in `navigation`; from its title unless given.", { minLength: 1, examples: ["install"] }),
  path: path(
    "Where it is served, without version and language: where the page with its id is in others, or `/<id>/`, unless given.",
    "/install/",
  ),
  title: text("Its title.", "Installation"),
  summary: text("What it is about, in a sentence.", "How to install it on three systems."),
  body: text(
    "Its text, in Markdown. Links such as `/install/` stay in the page's own version and language.",
    "Run it.",
  ),
  sections: list("Further parts, below the text.", section),
  versions: list(
    "The versions that have it: all unless given. Pages of different versions may have one id.",
    text("Name of a version.", "2.0"),
  ),
  language: code("The language it is written in; that of the site unless given. A translation has the same id."),
  redirect_from: list("Paths at which it was before; they lead here.", path("An old path.", "/setup/")),
});

const pages = (description: string) =>
  either(description, [
    list("The pages, in order.", page),
    map("The pages by id.", either("A page, or its text.", [text("Its text, in Markdown.", "Run it."), page])),
  ]);

const parameter = object("A parameter.", {
  name: text("Its name.", "url"),
  type: text("Its type.", "string"),
  required: boolean("Whether it must be given: no unless said.", { examples: [true] }),
  default: text("Its default, as written in code.", "3000"),
  description: text("What it is for, in Markdown.", "Where the server is."),
});

const entry = object("Something that can be called.", {
  name: text("Its name; else method and path name it.", "connect"),
  method: text("The HTTP method, of an endpoint.", "GET"),
  path: text("The path, of an endpoint.", "/items/{id}"),
  signature: text("How it is called.", "connect(url, options)"),
  description: text("What it does, in Markdown.", "Opens a connection."),
  parameters: list("What it takes.", parameter),
  returns: text("What it answers, in Markdown.", "A `Connection`."),
  errors: list(
    "How it can fail.",
    object("A failure.", {
      code: text("The status or name of it.", "404"),
      description: text("When it happens, in Markdown.", "There is no such item."),
    }),
  ),
  example: text("How it is used, as code.", "await connect('http://localhost')"),
  example_language: text("The language of the example.", "js"),
  since: text("The version that brought it.", "1.4"),
  deprecated: text("What to use instead, in Markdown. It is marked as deprecated.", "Use `open`."),
  versions: list("The versions that have it: all unless given.", text("Name of a version.", "2.0")),
});

/** The words of the site itself; each language may have its own. */
const words = {
  search: text("The label of the search box.", "Search"),
  nothing_found: text("What the search says when it finds nothing.", "Nothing was found."),
  skip: text("The link past the navigation.", "Skip to the text"),
  pages: text("The name of the list of pages.", "Pages"),
  more: text("The heading of pages that `navigation` does not name.", "More"),
  on_this_page: text("The name of the table of contents.", "On this page"),
  previous: text("The link to the page before.", "Previous"),
  next: text("The link to the page after.", "Next"),
  versions: text("The name of the list of versions.", "Versions"),
  languages: text("The name of the list of languages.", "Languages"),
  old_version: text("What stands above pages of other versions than the current one.", "This is an old version."),
  current_version: text("The link from there to the current version.", "Go to the current version"),
  copy: text("The button that copies code.", "Copy"),
  copied: text("What it says afterwards.", "Copied"),
  licence: text("The word before the licence.", "Licence"),
  api: text("The title of the page with the table of `api`.", "API reference"),
};

/** What a document of this type may say beyond the keys of every document. */
export const documentation = object("What `documentation` is made from.", {
  site,
  content: pages("The pages of the site."),
  pages: pages("The same as `content`, for those who prefer the word; a document has one of the two."),
  navigation: list(
    "The groups of pages, in reading order. Pages that it does not name come last.",
    either("A group of pages, or a single one.", [
      text("Id of a page.", "index"),
      object("A group of pages.", {
        title: text("Its heading.", "Start"),
        titles: map("Its heading in other languages.", text("The heading.", "Anfang"), {
          examples: [{ de: "Anfang" }],
        }),
        pages: list("Ids of its pages.", text("Id of a page.", "install")),
      }),
    ]),
  ),
  versions: list(
    "The versions of what is documented. The current one is served at the top, others below their name.",
    object(
      "A version.",
      {
        name: string("Its name, which is also its folder.", {
          pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,40}$",
          patternErrorMessage: "a name such as '2.0' or 'v1'",
          examples: ["2.0"],
        }),
        current: boolean("Whether it is the current one: the first unless any is.", { examples: [true] }),
        notice: text("What stands above its pages; that it is old unless given.", "Supported until May."),
      },
      ["name"],
    ),
  ),
  languages: list(
    "The languages of the site besides its own, each below its tag.",
    object(
      "A language.",
      {
        code: code("Its tag, which is also its folder."),
        title: text("Its name in itself.", "Deutsch"),
        texts: object("The words of the site itself in it: English unless given.", words),
      },
      ["code"],
    ),
  ),
  texts: object("The words of the site itself, in its own language: English unless given.", words),
  api: list(
    "The reference of an interface: a table of all entries, and a section for each. It is on the page with the id `api`, or on one that is added.",
    entry,
  ),
  redirects: map(
    "Old paths, and where they lead: a path of the site, or an address.",
    text("Where it leads.", "/guide/"),
    { examples: [{ "/old-guide/": "/guide/" }] },
  ),
});
