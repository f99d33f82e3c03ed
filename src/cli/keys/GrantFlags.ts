/** The flags for the grant of a new key. An omitted flag means no limit. */
import { Clock, Effect, Option, Schema } from "effect"
import { type Command, Flag } from "effect/cli"
import { type Grant, Scope, unlimited } from "#domain/account/Grant.ts"
import { Origin } from "#domain/account/Origin.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Money from "#domain/Money.ts"
import * as Period from "#src/features/billing/audit/Period.ts"
import { UsageError } from "#src/cli/Failure.ts"
import * as Span from "#src/cli/Span.ts"

const isScope = Schema.is(Scope)
const isModel = Schema.is(ModelEndpoint)
const isOrigin = Schema.is(Origin)

/** Words separated by commas, without duplicates and empty words. */
const listOf =
  <Word extends string>(isWord: (text: string) => text is Word) =>
  (text: string): Option.Option<ReadonlyArray<Word>> => {
    const texts = text.split(",").map((part) => part.trim())
    const words = texts.filter(isWord)
    return words.length === texts.length && new Set(words).size === words.length
      ? Option.some(words)
      : Option.none()
  }

/** A time, or a duration from now. */
export type Expiry = { readonly at: number } | { readonly afterMs: number }

const parseExpiry = (text: string): Option.Option<Expiry> => {
  const at = Period.parseTime(text)
  return at === null ? Option.map(Span.parse(text), (afterMs) => ({ afterMs })) : Option.some({ at })
}

export const flags = {
  scopes: Flag.String("scopes").pipe(
    Flag.withMetavar("S,…"),
    Flag.withDescription("Allowed scopes, such as requests:write,requests:read; all by default"),
    Flag.filterMap(listOf(isScope), () => `Expected some of ${Scope.literals.join(", ")}`),
    Flag.optional
  ),
  models: Flag.String("models").pipe(
    Flag.withMetavar("M,…"),
    Flag.withDescription("Allowed models, such as vision/ocr; all by default"),
    Flag.filterMap(listOf(isModel), () => "Expected models such as vision/ocr, separated by commas"),
    Flag.optional
  ),
  monthlyBudget: Flag.String("monthly-budget").pipe(
    Flag.withMetavar("USD"),
    Flag.withDescription("Most that its requests may cost in a calendar month (UTC), such as 25 or 0.50"),
    Flag.filterMap(
      (text) => Option.filter(Money.parse(text), (amount) => amount > 0n),
      () => "Expected an amount above 0 USD such as 25 or 0.50"
    ),
    Flag.optional
  ),
  expires: Flag.String("expires").pipe(
    Flag.withMetavar("T"),
    Flag.withDescription(
      "When the key expires: 2026-07-01, 2026-07-01T12:00:00Z, or a time from now such as 90d or 12h"
    ),
    Flag.filterMap(
      parseExpiry,
      () => "Expected a date, a date and time, or a time from now such as 90d or 12h"
    ),
    Flag.optional
  ),
  origins: Flag.String("origins").pipe(
    Flag.withMetavar("O,…"),
    Flag.withDescription(
      "Origins of web pages that may use the key, such as https://app.example; none by default"
    ),
    Flag.filterMap(
      listOf(isOrigin),
      () => "Expected origins such as https://app.example, separated by commas"
    ),
    Flag.optional
  )
}

type Given = Command.Command.Config.Infer<typeof flags>

export const grantOf = Effect.fnUntraced(function* ({
  expires,
  models,
  monthlyBudget,
  origins,
  scopes
}: Given) {
  const now = yield* Clock.currentTimeMillis
  const expiresAt = Option.map(expires, (expiry) => ("at" in expiry ? expiry.at : now + expiry.afterMs))
  if (Option.exists(expiresAt, (at) => at <= now)) {
    return yield* new UsageError({ message: "--expires is not in the future" })
  }
  const grant: Grant = {
    scopes: Option.match(scopes, {
      onNone: () => unlimited.scopes,
      onSome: (given) => Scope.literals.filter((scope) => given.includes(scope))
    }),
    modelEndpoints: Option.getOrNull(models),
    monthlyBudget: Option.getOrNull(monthlyBudget),
    expiresAt: Option.getOrNull(expiresAt),
    origins: Option.getOrNull(origins)
  }
  return grant
})
