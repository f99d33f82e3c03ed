/** The script of the API reference by Scalar, from the package of Effect. */
import { createRequire } from "node:module"
import * as url from "node:url"
import { Effect, Schema } from "effect"
import * as Representation from "#src/edges/http/Representation.ts"

/** Internal to Effect, whose own module embeds the script in pages that cannot be cached and have no content policy. */
const file = new URL(
  "./internal/httpApiScalar.js",
  url.pathToFileURL(createRequire(import.meta.url).resolve("effect/http-api/HttpApiScalar"))
)

const decode = Schema.decodeUnknownEffect(Schema.Struct({ javascript: Schema.String }))

export const contentType = "text/javascript; charset=utf-8"

/** Loads the script (3 MB) on demand. */
export const load: Effect.Effect<Representation.Representation> = Effect.promise(
  () => import(file.href)
).pipe(
  Effect.flatMap(decode),
  Effect.orDie,
  Effect.flatMap(({ javascript }) => Representation.make({ contentType, text: javascript }))
)
