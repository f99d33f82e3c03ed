/** The header with the server's release, by which a client of another release explains a failure. */
export const releaseHeader = "inferlog-release"
