/** What the sandbox models share: they do no work, so runs are unlimited and nearly free. */
import { Schema } from "effect"
import * as Money from "#domain/Money.ts"
import { exactly } from "../BuiltinModel.ts"

/** Added to the longest possible run, in seconds. */
export const slackSeconds = 60

export const sandboxDefaults = {
  category: "utility",
  concurrency: 100_000,
  expectedSeconds: 1,
  /** The longest `delayMs`, plus slack. */
  timeoutSeconds: 600 + slackSeconds
} as const

/** 0.001 USD per request. */
export const perRequest = {
  price: { unit: "request", unitPrice: Money.NanoUsd.make(1_000_000n), minimumCharge: Money.zero },
  input: Schema.Unknown,
  quantities: () => exactly(Money.units(1))
} as const
