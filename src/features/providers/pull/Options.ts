/** The options of pull workers (docs/operators/workers.md). */
import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

/** Default, s. */
export const usualLeaseSeconds = 30

const Options = Schema.Struct({
  /** After this time without a report the job is lost and runs again. */
  leaseSeconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 600 })))
})

export const options: AdapterOptions = { url: "none", secretEnv: "none", options: Options }

export const decode = Schema.decodeUnknownSync(Options)
