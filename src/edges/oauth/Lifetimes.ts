/** How long what the authorization server gives out is good, in seconds. */
export const day = 24 * 60 * 60

/** Used once, and meanwhile on its way through a browser. */
export const code = 60

export const accessToken = 60 * 60

/** From its last use on: whoever does not use an assistant for so long signs in again. */
export const refreshToken = 60 * day

/**
 * After its first use a refresh token is taken again for so long: calls that are refused at once refresh at once, each with
 * the token that they have.
 */
export const refreshGrace = 20

/** A used refresh token is remembered for so long at most, and whoever comes with it has the login ended. */
export const usedRefreshToken = 7 * day

/** To sign in and decide. */
export const interaction = 15 * 60

/** It ends with its login, not by time. */
export const grant = 10 * 365 * day

/** Until somebody has signed in with it. */
export const unusedClient = day

/** From its last sign-in or refresh on. */
export const usedClient = 180 * day
