/** Answers that are the same for everyone: with an entity tag over what is sent, kept compressed while they are asked for. */
import * as crypto from "node:crypto"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as Representation from "#src/edges/http/Representation.ts"

/** With numbers that change by themselves. */
export const moving = "public, max-age=10, stale-while-revalidate=60"
/** Changed by publishing alone. */
export const steady = "public, max-age=60, stale-while-revalidate=600"

export type CacheControl = typeof moving | typeof steady

const mostKept = 64

export type PublicAnswer = (
  request: HttpServerRequest,
  jsonText: string,
  cacheControl: CacheControl
) => Effect.Effect<HttpServerResponse>

export const make = Effect.sync((): PublicAnswer => {
  const kept = RecentlyUsed.make<Representation.Representation>({ capacity: mostKept })

  const representationOf = Effect.fnUntraced(function* (text: string) {
    const key = crypto.hash("sha256", text)
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = yield* Representation.make({ contentType: "application/json", text })
    kept.set(key, made)
    return made
  })

  return (request, text, cacheControl) =>
    Effect.map(representationOf(text), (representation) =>
      Representation.respond(representation, request, { "cache-control": cacheControl })
    )
})
