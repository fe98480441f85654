/** A page, as written to its file in `model/pages/`. */
export type PageModel = { readonly path: string; readonly title: string } & (
  | { readonly kind: "text"; readonly texts: readonly string[] }
  | ({ readonly resource: string; readonly title_field: string } & (
      | {
          readonly kind: "list";
          readonly intro?: string;
          readonly columns: readonly string[];
          readonly search: readonly string[];
          readonly filters: readonly string[];
          readonly empty: string;
          readonly actions: readonly Action[];
        }
      | {
          readonly kind: "form" | "edit";
          readonly intro?: string;
          readonly fields: readonly string[];
          readonly submit: string;
        }
      | { readonly kind: "detail"; readonly fields: readonly string[]; readonly actions: readonly Action[] }
      | { readonly kind: "delete" }
    ))
);

export interface Action {
  readonly label: string;
  readonly to: string;
  readonly does?: "delete";
}

/** What all pages have in common. */
export interface SiteModel {
  readonly title: string;
  readonly description: string;
  readonly language: string;
  readonly accent: string;
  readonly has_manifest: boolean;
  readonly has_service_worker: boolean;
  readonly navigation: readonly { readonly label: string; readonly to: string }[];
}
