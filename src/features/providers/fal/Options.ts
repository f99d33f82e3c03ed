import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

const segment = "[A-Za-z0-9_-][A-Za-z0-9._-]*"

export const Options = Schema.Struct({
  /** Owner and app, and optionally the path within the app: `fal-ai/flux/dev`. */
  app: Schema.String.check(
    Schema.isMaxLength(256),
    Schema.isPattern(new RegExp(`^${segment}(/${segment}){1,7}$`))
  ),
  /** For models that stream: the member of each event that is a chunk. By default the whole event is. */
  chunk: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(256)))
})
export type Options = typeof Options.Type

/** `url` is the base before the app; `https://queue.fal.run` by default. */
export const options: AdapterOptions = { url: "optional", secretEnv: "required", options: Options }
