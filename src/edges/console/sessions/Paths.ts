/** Where the console is served. */
export const root = "/console"

/** Who is signed in. */
export const session = "/console/session"

/** Calls below it are calls of the public API, or of administration, by whoever is signed in. */
export const api = "/console/api"
