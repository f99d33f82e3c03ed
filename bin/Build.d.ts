/** The entry of the build of the present sources, which it builds unless it exists. */
export const main: () => Promise<string>
/** The same, built by another process. */
export const made: () => string
