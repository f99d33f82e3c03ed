/** `GET /docs` and its script: the API reference for people. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import { conditional } from "#src/edges/http/api/PublicResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"
import * as Representation from "#src/edges/http/Representation.ts"
import * as ReferencePage from "./ReferencePage.ts"
import * as ScalarScript from "./ScalarScript.ts"

const decodeScript = Schema.decodeUnknownEffect(Schema.Struct({ javascript: Schema.String }))

const scriptType = "text/javascript; charset=utf-8"

const load: Effect.Effect<Representation.Representation> = Effect.promise(ScalarScript.load).pipe(
  Effect.flatMap(decodeScript),
  Effect.orDie,
  Effect.flatMap(({ javascript }) => Representation.make({ contentType: scriptType, text: javascript }))
)

const unchanging = "public, max-age=31536000, immutable"
const revalidated = "public, max-age=300"

/** Evaluated at the first use, and to its end even if the first client disconnects. */
const once = <A>(effect: Effect.Effect<A>): Effect.Effect<Effect.Effect<A>> =>
  Effect.cached(Effect.uninterruptible(effect))

const scriptEndpoint = HttpApiEndpoint.get("getDocsScript", "/docs/scalar.js", {
  query: { v: Schema.optionalKey(Schema.String.annotate({ description: "SHA-256 of the script." })) },
  headers: conditional,
  success: [
    Schema.String.pipe(HttpApiSchema.asText({ contentType: scriptType })).annotate({
      description: "The script."
    }),
    CommonResponses.notModified
  ],
  error: CommonResponses.unexpected
})
  .annotate(OpenApi.Summary, "The script of the reference")
  .annotate(
    OpenApi.Description,
    "Browsers may cache it for a year when the URL has its digest, as in the page."
  )

const loadScript = Effect.runSync(once(load))

export const docsScript = Route.prepared(
  scriptEndpoint,
  Effect.succeed(
    Effect.fnUntraced(function* ({ query, request }: Route.Call<typeof scriptEndpoint>) {
      const representation = yield* loadScript
      return Representation.respond(representation, request, {
        "cache-control": query.v === representation.digest ? unchanging : revalidated
      })
    })
  )
)

const pageEndpoint = HttpApiEndpoint.get("getDocs", "/docs", {
  headers: conditional,
  success: [
    Schema.String.pipe(HttpApiSchema.asText({ contentType: ReferencePage.contentType })).annotate({
      description: "A page."
    }),
    CommonResponses.notModified
  ],
  error: CommonResponses.unexpected
})
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "This reference, for people")
  .annotate(OpenApi.Description, "A page that shows `/openapi.json`. It calls no other server.")

export const docs = Route.prepared(
  pageEndpoint,
  Effect.gen(function* () {
    const urls = yield* PublicUrls
    const apiOrigins = [...new Set(Object.values(urls).map((address) => new URL(address).origin))]

    const page = yield* once(
      Effect.gen(function* () {
        const { contentSecurityPolicy, html } = ReferencePage.make({
          title: "inferlog",
          apiOrigins,
          script: `docs/scalar.js?v=${(yield* loadScript).digest}`
        })
        return {
          contentSecurityPolicy,
          html: yield* Representation.make({ contentType: ReferencePage.contentType, text: html })
        }
      })
    )

    return Effect.fnUntraced(function* ({ request }: Route.Call<typeof pageEndpoint>) {
      const { contentSecurityPolicy, html } = yield* page
      return Representation.respond(html, request, {
        "cache-control": revalidated,
        "content-security-policy": contentSecurityPolicy,
        "referrer-policy": "no-referrer"
      })
    })
  })
)
