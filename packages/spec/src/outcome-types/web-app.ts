import { boolean, object, string, withDefault } from "../schema/shape.ts";
import { endpoints } from "./api.ts";
import { auth } from "./auth.ts";
import { resourcesOf, servedResourceKeys, storedField } from "./data-model.ts";
import { pathFromRoot, word } from "./fields.ts";
import { admin, navigation, pages } from "./pages.ts";
import { texts } from "./texts.ts";

const colour = (description: string, example: string) =>
  string(description, {
    pattern: "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$",
    patternErrorMessage: 'a colour in quotes, such as "#2f6f4f"',
    examples: [example],
  });

/** What a document of this type may say beyond the keys of every document. */
export const webApp = object("What a `web-app` is made from.", {
  data_model: resourcesOf(
    (fields) =>
      object("A resource: a kind of records.", {
        ...servedResourceKeys,
        title_field: word("The field that a record is called by; `name` or `title`, or else the first.", "name"),
        fields,
      }),
    storedField,
  ),
  auth,
  base_path: withDefault(
    pathFromRoot("What paths of the API begin with that the document does not write out.", "/api"),
    "/api",
  ),
  endpoints,
  pages,
  navigation,
  admin,
  basket: object(
    "A basket: visitors collect records, and send them as an order.",
    {
      of: string("The resource whose records can be put into it.", { examples: ["product"] }),
      price: string("The field with the price of one.", { examples: ["price"] }),
      stock: string("The field with how many there are: no more can be ordered, and an order lowers it.", {
        examples: ["stock"],
      }),
      order: string("The resource that an order is kept as; the page `checkout` asks for its fields.", {
        examples: ["order"],
      }),
      total: string(
        "The field of the order that gets the sum. The service works it out: what a client sends for it is not taken.",
        { examples: ["total"] },
      ),
      items: string(
        "The resource that each line of an order is kept as: with a reference to the order, a reference to what was ordered, `quantity`, which is 1 or more unless its `min` says otherwise, and `price` if wanted, which the service sets to what one costs then. Only who may see an order adds lines to it.",
        { examples: ["order_item"] },
      ),
    },
    ["of", "price", "order", "items"],
  ),
  theme: object("Colours and font. Text stays readable, whatever is chosen.", {
    accent: colour("Colour of buttons and links.", "#2f6f4f"),
    background: colour("Colour of the page.", "#fbfaf6"),
    text: colour("Colour of text.", "#1f2421"),
    font: string("Names of fonts that the visitor's device may have, as in CSS.", {
      pattern: "^[\\w ,'-]+$",
      patternErrorMessage: "names of fonts, such as Georgia, serif",
      examples: ["Georgia, serif"],
    }),
    dark_mode: boolean("Dark colours for those whose device is set to dark.", { examples: [true] }),
  }),
  language: withDefault(
    string("Language of the pages.", {
      pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
      patternErrorMessage: "a language such as 'en' or 'pt-BR'",
      examples: ["en", "pt-BR"],
    }),
    "en",
  ),
  texts,
  pwa: object("What lets people install the site as an app.", {
    manifest: boolean("A manifest and icons.", { examples: [true] }),
    service_worker: boolean("Pages that were seen open without a network.", { examples: [true] }),
    short_name: string("The name under the icon.", { examples: ["Toolshed"] }),
  }),
});
