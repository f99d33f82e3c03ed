/** The options that an adapter accepts in a binding, beside the common fields. */
import type { Schema } from "effect"

export interface AdapterOptions {
  /** Whether `url` is required, may replace the public address, or is not accepted. */
  readonly url: "required" | "optional" | "none"
  readonly secretEnv: "required" | "optional" | "none"
  /** Schema of `options`; absent options count as `{}`. Excess properties are an error. */
  readonly options: Schema.ConstraintDecoder<unknown>
}
