import { type Array, Schema } from "effect"
import type { Setting } from "./Setting.ts"

export interface Wrong {
  readonly setting: Setting<unknown>
  /** What `Setting.fault` says. */
  readonly fault: string | null
}

const describe = ({ fault, setting: { accepts, name } }: Wrong): string =>
  `${name}: Expected ${accepts.replaceAll("`", "")}${fault === null ? "" : `: ${fault}`}`

/** Settings that are wrong. Says what each takes, and nothing of what was found: it may be a secret. */
export class InvalidSettings extends Schema.TaggedError<InvalidSettings>()("InvalidSettings", {
  message: Schema.String
}) {
  static readonly of = (wrong: Array.NonEmptyReadonlyArray<Wrong>): InvalidSettings =>
    new InvalidSettings({ message: wrong.map(describe).join("; ") })
}
