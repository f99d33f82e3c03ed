/** `proxyUrl` of fal's client. */
export const proxy = "/compat/fal"

/** Uploads in parts. */
export const uploads = `${proxy}/uploads` as const
