/** A curated list of models and wrappers. */
import { Schema } from "effect"
import { ModelEndpoint } from "../ModelEndpoint.ts"

const slug = /^[a-z0-9][a-z0-9-]{0,63}$/

/** The form of the ids of collections, GPUs and deployment templates. */
export const Slug = Schema.String.check(Schema.isPattern(slug))

export const Collection = Schema.Struct({
  slug: Slug,
  name: Schema.String,
  description: Schema.String,
  /** In display order. */
  models: Schema.Array(ModelEndpoint)
})
export type Collection = typeof Collection.Type
