import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

export const Options = Schema.Struct({
  /** The id of a queue-based endpoint. */
  endpointId: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/)),
  /** Jobs start no workers and wait for existing ones. */
  lowPriority: Schema.optionalKey(Schema.Boolean)
})
export type Options = typeof Options.Type

/** `url` is the base before the endpoint's id; `https://api.runpod.ai/v2` by default. */
export const options: AdapterOptions = { url: "optional", secretEnv: "required", options: Options }
