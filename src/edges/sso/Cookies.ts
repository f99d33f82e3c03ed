/** The two cookies of single sign-on: one of a sign-in that has begun, and one of the session. */
import { Option, Schema } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Sealing from "#src/kernel/secrets/Sealing.ts"
import * as HandOff from "./HandOff.ts"
import type { Secrets } from "./Issuer.ts"

export interface PendingSignIn extends Secrets {
  /** The command line that is to get the session; `null`: the browser. */
  readonly waiting: HandOff.Waiting | null
  /** Whether the browser goes on to the console. */
  readonly toConsole: boolean
}

/** How long a sign-in may take, ms. */
const pendingMs = 10 * 60_000

const Pending = Schema.fromJsonString(
  Schema.Struct({
    state: Schema.String,
    nonce: Schema.String,
    verifier: Schema.String,
    waiting: Schema.NullOr(HandOff.Waiting),
    toConsole: Schema.Boolean,
    expiresAt: Schema.Int
  })
)
const encode = Schema.encodeUnknownSync(Pending)
const decode = Schema.decodeUnknownOption(Pending)

const context = "sign-in of an operator"

/**
 * @param key used for this purpose only. Every node has it, so a sign-in may begin on one node and end on another.
 * @param adminUrl public address of administration.
 */
export const make = (key: Uint8Array, adminUrl: string) => {
  const isSecure = adminUrl.startsWith("https:")
  // Browsers take `__Host-` cookies only from this very host over https.
  const prefix = isSecure ? "__Host-" : ""
  const names = { pending: `${prefix}inferlog-sign-in`, session: `${prefix}inferlog-operator` }
  // Lax: the issuer sends the browser back from another site.
  const options = { httpOnly: true, secure: isSecure, sameSite: "lax", path: "/" } as const
  const seal = { key, context }

  type Cookies = Readonly<Record<string, string>>
  type Response = HttpServerResponse.HttpServerResponse

  return {
    /** @param now Unix time in ms. */
    withPending: (response: Response, secrets: PendingSignIn, now: number): Response => {
      const text = encode({ ...secrets, expiresAt: now + pendingMs })
      const sealed = Sealing.seal(seal, Buffer.from(text))
      return HttpServerResponse.setCookieUnsafe(response, names.pending, sealed, {
        ...options,
        maxAge: pendingMs
      })
    },
    /** What the browser's sign-in must come back with; none if it has not begun here, or too long ago. */
    pendingOf: (cookies: Cookies, now: number): Option.Option<PendingSignIn> =>
      Option.fromNullishOr(cookies[names.pending]).pipe(
        Option.flatMap((text) => Option.getSuccess(Sealing.open(seal, text))),
        Option.flatMap((bytes) => decode(bytes.toString())),
        Option.filter(({ expiresAt }) => now < expiresAt)
      ),
    withoutPending: (response: Response): Response =>
      HttpServerResponse.setCookieUnsafe(response, names.pending, "", { ...options, maxAge: 0 }),
    /** @param maxAge ms */
    withSession: (response: Response, token: string, maxAge: number): Response =>
      HttpServerResponse.setCookieUnsafe(response, names.session, token, { ...options, maxAge }),
    sessionOf: (cookies: Cookies): string | undefined => cookies[names.session],
    withoutSession: (response: Response): Response =>
      HttpServerResponse.setCookieUnsafe(response, names.session, "", { ...options, maxAge: 0 })
  }
}

export type Cookies = ReturnType<typeof make>
