/** Lifetimes of records of the authorization server, in seconds. */
export const day = 24 * 60 * 60

/** A code is used once, and passes through a browser. */
export const code = 60

export const accessToken = 60 * 60

/** Since its last use. After that the user signs in again. */
export const refreshToken = 60 * day

/** How long a used refresh token is accepted again: concurrent calls refresh at once, each with the same token. */
export const refreshGrace = 20

/** How long a used refresh token is stored. Presenting it after the grace period ends the login. */
export const usedRefreshToken = 7 * day

/** The time to sign in and decide. */
export const interaction = 15 * 60

/** A grant ends with its login, not by time. */
export const grant = 10 * 365 * day

/** Until the first sign-in. */
export const unusedClient = day

/** Since the last sign-in or refresh. */
export const usedClient = 180 * day
