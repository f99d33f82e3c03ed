/** The filters of the catalog, in the URL. */

export const categories = ["image", "video", "audio", "text", "utility"] as const
type Category = (typeof categories)[number]

export interface CatalogSearch {
  /** Words. */
  readonly q?: string
  readonly category?: Category
  /** `deprecated`: those alone. Without it all. */
  readonly status?: "active" | "deprecated"
  /** The slug of a collection: its models alone, in its order. */
  readonly collection?: string
}

/** Characters that the server searches for. */
export const longestQuery = 200

/** Values that are not of the filters are dropped. */
export const parse = ({
  category,
  collection,
  q,
  status
}: Readonly<Record<string, unknown>>): CatalogSearch => {
  const found = categories.find((one) => one === category)
  const state = (["active", "deprecated"] as const).find((one) => one === status)
  // The router reads figures and `true` as such.
  const text = q === undefined || q === null ? "" : String(q).slice(0, longestQuery)
  return {
    ...(text !== "" && { q: text }),
    ...(found !== undefined && { category: found }),
    ...(state !== undefined && { status: state }),
    ...(typeof collection === "string" && /^[a-z\d-]+$/.test(collection) && { collection })
  }
}
