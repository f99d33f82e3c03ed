/** An environment variable, declared where it is used and listed in `AllSettings`. An empty one counts as not set. */
import { Config, type Option } from "effect"

export interface Setting<out A> {
  readonly name: string
  /** Reads the value. Its errors name the setting. */
  readonly config: Config.Config<A>
  /** The default, as written in the environment or in words. */
  readonly default: string
  /** One sentence without a full stop; Markdown. */
  readonly description: string
  /** The accepted values, in words; Markdown. Also the message when the value is not accepted. */
  readonly accepts: string
  /** An accepted value. */
  readonly example: string
  /** The value must never be printed. Its `config` is `Redacted`. */
  readonly isSecret: boolean
  /** A more precise message than `accepts` for a wrong text, without repeating it; `null` when there is none. */
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

/** A setting with a default. `defaultText` describes the default where the value itself is unclear. */
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

/** A setting without a default: its reader gets an `Option`. */
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
