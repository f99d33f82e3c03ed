/** The script of Scalar's API reference, as it comes with Effect: nothing of it is fetched from elsewhere. */
import { createRequire } from "node:module"
import * as url from "node:url"
import { Effect, Schema } from "effect"
import * as Representation from "#src/edges/http/Representation.ts"

/** Beside the module that embeds it in pages of its own, which can neither be cached nor kept to a content policy. */
const file = new URL(
  "./internal/httpApiScalar.js",
  url.pathToFileURL(createRequire(import.meta.url).resolve("effect/http-api/HttpApiScalar"))
)

const decode = Schema.decodeUnknownEffect(Schema.Struct({ javascript: Schema.String }))

export const contentType = "text/javascript; charset=utf-8"

/** 3 MB: loaded when it is asked for. */
export const load: Effect.Effect<Representation.Representation> = Effect.promise(
  () => import(file.href)
).pipe(
  Effect.flatMap(decode),
  Effect.orDie,
  Effect.flatMap(({ javascript }) => Representation.make({ contentType, text: javascript }))
)
