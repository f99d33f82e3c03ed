/** `GET /docs` and its script: the reference for people, of what `/openapi.json` says to programs. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as ReferencePage from "./ReferencePage.ts"
import * as ScalarScript from "./ScalarScript.ts"
import * as Representation from "#src/edges/http/Representation.ts"

const unchanging = "public, max-age=31536000, immutable"
const revalidated = "public, max-age=300"

export const make = Effect.gen(function* () {
  const urls = yield* PublicUrls
  const apiOrigins = [...new Set(Object.values(urls).map((address) => new URL(address).origin))]
  const script = yield* once(ScalarScript.load)

  const page = yield* once(
    Effect.gen(function* () {
      const { contentSecurityPolicy, html } = ReferencePage.make({
        title: "inferlog",
        apiOrigins,
        script: `docs/scalar.js?v=${(yield* script).digest}`
      })
      return {
        contentSecurityPolicy,
        html: yield* Representation.make({ contentType: ReferencePage.contentType, text: html })
      }
    })
  )

  return {
    page: Effect.fnUntraced(function* (request: HttpServerRequest) {
      const { contentSecurityPolicy, html } = yield* page
      return Representation.respond(html, request, {
        "cache-control": revalidated,
        "content-security-policy": contentSecurityPolicy,
        "referrer-policy": "no-referrer"
      })
    }),

    /** @param version the digest that the page asks for: under it the script never changes. */
    script: Effect.fnUntraced(function* (request: HttpServerRequest, version: string | undefined) {
      const representation = yield* script
      return Representation.respond(representation, request, {
        "cache-control": version === representation.digest ? unchanging : revalidated
      })
    })
  }
})

/** Evaluated at the first use, and to its end even when the first client has gone by then. */
const once = <A>(effect: Effect.Effect<A>): Effect.Effect<Effect.Effect<A>> =>
  Effect.cached(Effect.uninterruptible(effect))
