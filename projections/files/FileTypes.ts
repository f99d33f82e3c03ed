/** What files are filtered by of their content type. */

/** `image/` of `image/png`; of what has no slash nothing. */
export const kindOf = (essence: string): string => essence.slice(0, essence.indexOf("/") + 1)

/** The kind that `image/*` stands for, `image/`; `null` of one type alone. */
export const kindMeantBy = (filter: string): string | null =>
  filter.endsWith("/*") ? filter.slice(0, -1) : null
