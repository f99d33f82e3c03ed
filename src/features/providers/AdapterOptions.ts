/** What an adapter accepts in a binding beyond the common fields. */
import type { Schema } from "effect"

export interface AdapterOptions {
  /** Whether `url` has to be there, may be there in the place of the public one, or makes no sense. */
  readonly url: "required" | "optional" | "none"
  readonly secretEnv: "required" | "optional" | "none"
  /** Of `options`; an absent one is `{}`. Excess properties are an error. */
  readonly options: Schema.ConstraintDecoder<unknown>
}
