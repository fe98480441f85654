/** A page, as written to its file in `model/pages/`; the keys are those of the files. */
export type PageModel = PageBase & (TextPage | RecordPage | AccountPage | { readonly kind: "basket" } | CheckoutPage);

interface PageBase {
  readonly path: string;
  readonly title: string;
  readonly intro?: string;
  /** Who may open it: `signed_in` or roles; absent for everyone. */
  readonly access?: readonly string[];
  /** What the paths of the pages that it belongs to begin with; those that manage records lead to each other. */
  readonly area?: string;
}

interface TextPage {
  readonly kind: "text";
  readonly texts: readonly string[];
  readonly actions: readonly Action[];
}

/** Where people log in, and where they make an account. */
type AccountPage =
  | { readonly kind: "login" }
  | {
      readonly kind: "sign_up";
      readonly fields: readonly string[];
      readonly layout: FieldLayout;
      readonly submit: string;
    };

interface CheckoutPage {
  readonly kind: "checkout";
  readonly fields: readonly string[];
  readonly layout: FieldLayout;
  readonly submit?: string;
  readonly next?: string;
}

/** A page about the records of a resource. */
type RecordPage = { readonly resource: string; readonly title_field: string } & (
  | ListPage
  | FormPage
  | DetailPage
  | { readonly kind: "delete" }
  | { readonly kind: "act"; readonly action: string }
);

interface ListPage {
  readonly kind: "list";
  readonly layout: "table" | "cards";
  readonly columns: readonly string[];
  readonly image?: string;
  readonly search: readonly string[];
  readonly filters: readonly string[];
  readonly sorts: readonly string[];
  readonly where?: Readonly<Record<string, unknown>>;
  readonly sort?: string;
  readonly page_size: number;
  readonly empty?: string;
  readonly actions: readonly Action[];
}

interface FormPage {
  readonly kind: "form" | "edit";
  readonly layout: FieldLayout;
  readonly fields: readonly string[];
  readonly submit?: string;
  readonly next?: string;
}

interface DetailPage {
  readonly kind: "detail";
  readonly layout: FieldLayout;
  readonly fields: readonly string[];
  readonly image?: string;
  readonly related: readonly Related[];
  readonly actions: readonly Action[];
}

type FieldLayout = "stacked" | "columns";

/** Records that refer to the one that is shown. */
export interface Related {
  readonly resource: string;
  /** Its field that refers. */
  readonly field: string;
  readonly title: string;
  readonly title_field: string;
  readonly columns: readonly string[];
}

/** A button: a link, or with `does` a form that is sent. */
export interface Action {
  readonly label: string;
  readonly to: string;
  readonly does?: string;
  /** A page asks before it is done. */
  readonly asks?: true;
  readonly access?: readonly string[];
  /** It is about one record of a list, and stands beside it. */
  readonly is_for_record?: true;
}

/** What all pages have in common. */
export interface SiteModel {
  readonly title: string;
  readonly description: string;
  readonly language: string;
  readonly accent: string;
  readonly has_manifest: boolean;
  readonly has_service_worker: boolean;
  readonly has_images: boolean;
  readonly navigation: readonly NavigationLink[];
  readonly texts: Readonly<Record<string, string>>;
  /** The field that a record is called by, for each resource. */
  readonly title_fields: Readonly<Record<string, string>>;
  /** Where people log in, sign up and log out; absent where there are no accounts. */
  readonly accounts?: { readonly login: string; readonly logout: string; readonly sign_up?: string };
  readonly basket?: BasketModel;
}

export interface NavigationLink {
  readonly label: string;
  readonly to: string;
  readonly access?: readonly string[];
}

/** Which resources and fields the basket works with. */
export interface BasketModel {
  readonly path: string;
  readonly checkout: string;
  readonly of: string;
  readonly title_field: string;
  readonly price: string;
  readonly stock?: string;
  readonly order: string;
  readonly total?: string;
  readonly items: string;
  /** The fields of an item: what it is a line of, what was ordered, and what one cost. */
  readonly item_order: string;
  readonly item_record: string;
  readonly item_price?: string;
}
