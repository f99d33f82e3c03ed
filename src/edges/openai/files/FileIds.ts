/** Ids of files as OpenAI's API writes them. */

const prefix = "file-"

/** @param id of a file of this server. */
export const shown = (id: string): string => prefix + id

/** The id of a file of this server. */
export const idOf = (given: string): string => (given.startsWith(prefix) ? given.slice(prefix.length) : given)
