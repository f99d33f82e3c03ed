import { type Array, Schema } from "effect"
import type { Setting } from "./Setting.ts"

/** Settings that are wrong. Says what each takes, and nothing of what was found: it may be a secret. */
export class InvalidSettings extends Schema.TaggedError<InvalidSettings>()("InvalidSettings", {
  message: Schema.String
}) {
  static readonly of = (wrong: Array.NonEmptyReadonlyArray<Setting<unknown>>): InvalidSettings =>
    new InvalidSettings({
      message: wrong.map(({ accepts, name }) => `${name}: Expected ${accepts.replaceAll("`", "")}`).join("; ")
    })
}
