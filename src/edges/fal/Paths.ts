/** `proxyUrl` of fal's client. */
export const proxy = "/compat/fal"
