import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

export const Options = Schema.Struct({
  /** Of a queue-based endpoint. */
  endpointId: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/)),
  /** Its jobs start no workers of their own: they wait for those that are there. */
  lowPriority: Schema.optionalKey(Schema.Boolean)
})
export type Options = typeof Options.Type

/** `url` is the base that the endpoint's id is put after; `https://api.runpod.ai/v2` when not given. */
export const options: AdapterOptions = { url: "optional", secretEnv: "required", options: Options }
