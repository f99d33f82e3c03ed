/** What a binding to pull workers may say (docs/operators/workers.md). */
import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

/** Of a binding that says nothing, s. */
export const usualLeaseSeconds = 30

const Options = Schema.Struct({
  /** A worker that is not heard of for so long has lost its job, which is then run again. */
  leaseSeconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 600 })))
})

export const options: AdapterOptions = { url: "none", secretEnv: "none", options: Options }

export const decode = Schema.decodeUnknownSync(Options)
