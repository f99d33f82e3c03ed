/** The messages to and from the evaluating thread. */
import { Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"

export interface Evaluation {
  /** Text of the expression. */
  readonly text: string
  readonly value: Json
  readonly bindings: Readonly<Record<string, Json>>
}

/** `value` is absent for an empty result. `reason` contains no values. */
export const Answer = Schema.Union([
  Schema.Struct({ _tag: Schema.tag("Done"), value: Schema.optionalKey(Schema.Unknown) }),
  Schema.Struct({ _tag: Schema.tag("Failed"), reason: Schema.String })
])
export type Answer = typeof Answer.Type
