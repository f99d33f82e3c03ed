/** A curated list of models and wrappers. */
import { Schema } from "effect"
import { ModelEndpoint } from "../ModelEndpoint.ts"

const slug = /^[a-z0-9][a-z0-9-]{0,63}$/

/** What collections, GPUs and deployment templates are named by. */
export const Slug = Schema.String.check(Schema.isPattern(slug))

export const Collection = Schema.Struct({
  slug: Slug,
  name: Schema.String,
  description: Schema.String,
  /** In the order in which they are shown. */
  models: Schema.Array(ModelEndpoint)
})
export type Collection = typeof Collection.Type
