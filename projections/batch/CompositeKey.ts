/** Keys of several columns as one string, for maps. */

/** Occurs in no id, name, model or unit. */
const separator = "\0"

/** The values of a primary key, in the order of its columns. */
export const of = (...parts: ReadonlyArray<string | number>): string => parts.join(separator)

/** The values that `of` has joined. SQLite converts the numeric ones. */
export const partsOf = (key: string): Array<string> => key.split(separator)
