/** The part of the content type that lists filter by. */

/** `image/` for `image/png`. Empty for a type without a slash. */
export const kindOf = (essence: string): string => essence.slice(0, essence.indexOf("/") + 1)

/** `image/` for the filter `image/*`. `null` for a filter of one type. */
export const kindMeantBy = (filter: string): string | null =>
  filter.endsWith("/*") ? filter.slice(0, -1) : null
