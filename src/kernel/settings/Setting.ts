/**
 * One environment variable: declared where it is used, listed in `AllSettings`, documented from what it says of itself.
 * An empty variable counts as not set.
 */
import { Config, type Option } from "effect"

export interface Setting<out A> {
  readonly name: string
  /** Its value. What it fails with names the setting. */
  readonly config: Config.Config<A>
  /** What an absent one means, as written in the environment or in words. */
  readonly default: string
  /** One sentence without a full stop; Markdown. */
  readonly description: string
  /** The values it takes, in words; Markdown. What is said when another one is found. */
  readonly accepts: string
  /** A value that is accepted. */
  readonly example: string
  /** Never to be printed. Its `config` is `Redacted`. */
  readonly isSecret: boolean
  /** What is wrong with a text, where that can be said beyond `accepts`, in words that repeat no value; `null` otherwise. */
  readonly fault?: (text: string) => string | null
}

interface Declaration<A> {
  readonly name: string
  readonly config: (name: string) => Config.Config<A>
  readonly description: string
  readonly accepts: string
  readonly example: string
  readonly isSecret?: boolean
  readonly fault?: (text: string) => string | null
}

/** A setting with a value of its own when absent. `defaultText` says it where the value does not read well. */
export const make = <A>({
  config,
  default: defaultValue,
  defaultText = `\`${String(defaultValue)}\``,
  isSecret = false,
  ...declaration
}: Declaration<A> & { readonly default: NoInfer<A>; readonly defaultText?: string }): Setting<A> => ({
  ...declaration,
  config: Config.withDefault(config(declaration.name), defaultValue),
  default: defaultText,
  isSecret
})

/** A setting whose absence its reader sees. */
export const optional = <A>({
  config,
  defaultText,
  isSecret = false,
  ...declaration
}: Declaration<A> & { readonly defaultText: string }): Setting<Option.Option<A>> => ({
  ...declaration,
  config: Config.option(config(declaration.name)),
  default: defaultText,
  isSecret
})
