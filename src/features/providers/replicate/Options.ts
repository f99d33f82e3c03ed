/** The options of the `replicate` adapter: what to run, in one of three ways. */
import { Schema } from "effect"
import type { AdapterOptions } from "../AdapterOptions.ts"

const name = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][\w.-]{0,127}\/[A-Za-z0-9][\w.-]{0,127}$/, {
    expected: "{owner}/{name}"
  })
)

const version = Schema.String.check(
  Schema.isPattern(/^(?:[A-Za-z0-9][\w.-]{0,127}\/[A-Za-z0-9][\w.-]{0,127}:)?[A-Za-z0-9-]{1,128}$/, {
    expected: "a version's id, or {owner}/{name}:{id}"
  })
)

/** Exactly one of the three. */
export const Options = Schema.Struct({
  /** `POST /predictions`: a fixed version. */
  version: Schema.optionalKey(version),
  /** `POST /models/{owner}/{name}/predictions`: an official model, which Replicate keeps up to date. */
  model: Schema.optionalKey(name),
  /** `POST /deployments/{owner}/{name}/predictions`: a deployment of your own. */
  deployment: Schema.optionalKey(name)
}).check(
  Schema.makeFilter((options) => Object.keys(options).length === 1, {
    expected: "exactly one of version, model and deployment"
  })
)
export type Options = typeof Options.Type

/** `url` replaces `https://api.replicate.com/v1`. */
export const options: AdapterOptions = { url: "optional", secretEnv: "required", options: Options }
