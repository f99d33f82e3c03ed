/** Answers that are the same for everyone: with an entity tag over the bytes, and compressed once for all readers. */
import * as crypto from "node:crypto"
import { Context, Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { CatalogContents, type Listed } from "#src/features/catalog/CatalogContents.ts"
import * as Representation from "#src/edges/http/Representation.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as ItemTexts from "./ItemTexts.ts"

/** For answers with figures that change between publications. */
export const moving = "public, max-age=10, stale-while-revalidate=60"
/** For answers that change only when something is published. */
export const steady = "public, max-age=60, stale-while-revalidate=600"

export type CacheControl = typeof moving | typeof steady

const mostCached = 256

export class PublicAnswers extends Context.Service<
  PublicAnswers,
  {
    readonly answer: (
      request: HttpServerRequest,
      jsonText: string,
      cacheControl: CacheControl
    ) => Effect.Effect<HttpServerResponse>
    /** The JSON of a model or wrapper. */
    readonly listing: (listed: Listed) => string
  }
>()("inferlog/src/edges/api/catalog/PublicAnswers") {
  static readonly layer = Layer.effect(
    PublicAnswers,
    Effect.gen(function* () {
      const listing = yield* ItemTexts.listings
      const cached = RecentlyUsed.make<Representation.Representation>({ capacity: mostCached })

      const representationOf = Effect.fnUntraced(function* (text: string) {
        const key = crypto.hash("sha256", text)
        const known = cached.get(key)
        if (known !== undefined) return known
        const made = yield* Representation.make({ contentType: "application/json", text })
        cached.set(key, made)
        return made
      })

      return PublicAnswers.of({
        listing,
        answer: (request, text, cacheControl) =>
          Effect.map(representationOf(text), (representation) =>
            Representation.respond(representation, request, { "cache-control": cacheControl })
          )
      })
    })
  )
}

/** What routes of one item of the catalog use. */
export const ofItems = Effect.all({ catalog: CatalogContents, answers: PublicAnswers })
