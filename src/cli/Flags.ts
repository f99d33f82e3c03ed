/** Flags that several commands share. */
import { Flag } from "effect/cli"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { isName } from "#src/features/accounts/Name.ts"

/** A flag without a value, off by default. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withoutNegation, Flag.withDefault(false))

export const count = (
  name: string,
  description: string,
  { byDefault, from, to }: { readonly from: number; readonly to: number; readonly byDefault: number }
) =>
  Flag.Int(name).pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(description),
    Flag.filter(
      (value) => value >= from && value <= to,
      () => `Expected a number from ${from} to ${to}`
    ),
    Flag.withDefault(byDefault)
  )

export const account = (description: string) =>
  Flag.String("account").pipe(
    Flag.withMetavar("acc_…"),
    Flag.withDescription(description),
    Flag.withSchema(AccountId)
  )

/** `--name` of an account, a key or a worker. */
export const name = (description: string) =>
  Flag.String("name").pipe(
    Flag.withDescription(description),
    Flag.filter(isName, () => "Expected a name of 1 to 100 characters")
  )

/** `--model`: only requests of this model. */
export const model = Flag.String("model").pipe(
  Flag.withMetavar("OWNER/NAME"),
  Flag.withDescription("Only requests of this model"),
  Flag.filterMap(
    (text) => ModelEndpoint.makeOption(text),
    () => "Expected a model such as sandbox/echo"
  ),
  Flag.optional
)

/** Arguments of `filterMap` for a request id. A malformed id is wrong usage, not an unknown request. */
export const requestId = [
  (text: string) => RequestId.makeOption(text),
  () => "Expected a request id: 21 letters, digits, hyphens or underscores"
] as const
