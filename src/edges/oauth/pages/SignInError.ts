/** Errors of a sign-in, in words for its user. */

export interface SignInError {
  readonly status: number
  readonly what: string
  /** Advice for the user. */
  readonly advice: string
  /** The form field to correct. */
  readonly field: "api_key" | "account"
}

export const nothingEntered: SignInError = {
  status: 400,
  what: "Nothing to sign in with was entered.",
  advice: "Enter an API key, or the account and its password.",
  field: "api_key"
}

export const passwordMissing: SignInError = {
  status: 400,
  what: "The account or its password is missing.",
  advice: "Enter both, or an API key instead.",
  field: "account"
}

export const keyRefused: SignInError = {
  status: 403,
  what: "This API key is not valid.",
  advice:
    "Check that all of it was copied, and that it was neither revoked nor replaced and has not expired.",
  field: "api_key"
}

export const passwordRefused: SignInError = {
  status: 403,
  what: "The account and the password do not match.",
  advice: "An account has a password only if one was set for it. An API key of the account does as well.",
  field: "account"
}

/** @param scopes one of which the key needs. */
export const nothingGranted = (scopes: ReadonlyArray<string>): SignInError => ({
  status: 403,
  what: "This API key may do nothing that an assistant does.",
  advice: `Use one with at least one of these scopes: ${scopes.join(", ")}.`,
  field: "api_key"
})

export const accountClosed: SignInError = {
  status: 403,
  what: "The account is closed.",
  advice: "Sign in with another one.",
  field: "account"
}

export const tooManyKeys = (limit: number): SignInError => ({
  status: 409,
  what: `The account has ${limit} keys already, and an assistant would need one more.`,
  advice: "Revoke a key that is not used any more, or sign in with one of them here.",
  field: "api_key"
})

/** A valid key is accepted at any time, so the key was wrong. */
export const tooManySignIns = (retryAfterSeconds: number, by: "Key" | "Password"): SignInError => ({
  status: 429,
  what: "Too many sign-ins have failed.",
  advice:
    by === "Password"
      ? `Try again in ${inWords(retryAfterSeconds)}, or use an API key.`
      : `This API key is not valid. Check that all of it was copied, and try again in ${inWords(retryAfterSeconds)}.`,
  field: "api_key"
})

const inWords = (seconds: number): string => {
  const [count, unit] = seconds < 120 ? [Math.max(1, seconds), "second"] : [Math.ceil(seconds / 60), "minute"]
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

export const formOutdated: SignInError = {
  status: 403,
  what: "The form was not the one of this page.",
  advice: "Fill it in again.",
  field: "api_key"
}
