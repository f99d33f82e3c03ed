import { type Array, Schema } from "effect"
import type { Setting } from "./Setting.ts"

export interface Wrong {
  readonly setting: Setting<unknown>
  /** The message of `Setting.fault`. */
  readonly fault: string | null
}

const describe = ({ fault, setting: { accepts, name } }: Wrong): string =>
  `${name}: Expected ${accepts.replaceAll("`", "")}${fault === null ? "" : `: ${fault}`}`

/** Names each wrong setting and what it accepts. Never contains the value, which may be a secret. */
export class InvalidSettings extends Schema.TaggedError<InvalidSettings>()("InvalidSettings", {
  message: Schema.String
}) {
  static readonly of = (wrong: Array.NonEmptyReadonlyArray<Wrong>): InvalidSettings =>
    new InvalidSettings({ message: wrong.map(describe).join("; ") })
}
