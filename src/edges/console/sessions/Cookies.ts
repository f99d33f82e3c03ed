/** The two cookies of the console: one of an account's session, and one of an operator's. Both may be open at once. */
import { Redacted } from "effect"
import * as Cookies from "effect/http/Cookies"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

export type Kind = "account" | "operator"

export type Sent = Readonly<Record<string, string>>

/**
 * Every page of the console asks who is signed in by a call of its own, so the cookie need not come with a link from an e-mail:
 * it is strict.
 */
const options = { httpOnly: true, sameSite: "strict", path: "/" } as const

/** @param addresses public ones of the server. */
export const make = (addresses: ReadonlyArray<string>) => {
  const isSecure = addresses.length > 0 && addresses.every((address) => address.startsWith("https:"))
  // Browsers take `__Host-` cookies only from this very host over https.
  const nameOf = (kind: Kind) => `${isSecure ? "__Host-" : ""}inferlog-console-${kind}`
  const names = { account: nameOf("account"), operator: nameOf("operator") }
  const all = { ...options, secure: isSecure }

  type Response = HttpServerResponse.HttpServerResponse

  return {
    nameOf: (kind: Kind): string => names[kind],
    tokenOf: (sent: Sent, kind: Kind): string | undefined => sent[names[kind]],
    /** @param maxAge ms */
    with: (response: Response, kind: Kind, token: Redacted.Redacted, maxAge: number): Response =>
      HttpServerResponse.setCookieUnsafe(response, names[kind], Redacted.value(token), { ...all, maxAge }),
    without: (response: Response, kind: Kind): Response =>
      HttpServerResponse.setCookieUnsafe(response, names[kind], "", { ...all, maxAge: 0 })
  }
}

/** Of a `Cookie` header. */
export const parse = (header: string | undefined): Sent =>
  header === undefined ? {} : Cookies.parseHeader(header)
