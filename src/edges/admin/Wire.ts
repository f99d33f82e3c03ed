/** How values look in calls of operations: times as ISO 8601, amounts in USD, `null` as an absent parameter. */
import { Effect, Option, Schema, SchemaGetter, SchemaIssue } from "effect"
import * as Money from "#domain/Money.ts"
import * as Period from "#src/features/billing/audit/Period.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"

const refused = (expected: string) =>
  Effect.fail(new SchemaIssue.InvalidValue(undefined, { message: `must be ${expected}` }))

/** Unix time in ms, as ISO 8601. */
export const Time = DateTime.DateTime.pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transformEffect((text: string) => {
      const millis = Period.parseTime(text)
      return millis === null
        ? refused("a date and time such as 2026-07-01T00:00:00Z")
        : Effect.succeed(millis)
    }),
    encode: SchemaGetter.transform(DateTime.format)
  })
)

export const TimeOrNull = Schema.NullOr(Time)

/** Nano-USD, as a decimal text of USD. */
export const Usd = Schema.String.annotate({ description: "USD.", examples: ["12.5"] }).pipe(
  Schema.decodeTo(Schema.toType(Money.NanoUsd), {
    decode: SchemaGetter.transformEffect((text: string) =>
      Option.match(Money.parse(text), {
        onNone: () => refused("an amount of USD with at most 9 decimals, as text"),
        onSome: Effect.succeed
      })
    ),
    encode: SchemaGetter.transform(Money.format)
  })
)

/** A quantity, as a decimal text of units. */
export const Units = Schema.String.annotate({ description: "Units." }).pipe(
  Schema.decodeTo(Schema.toType(Money.Quantity), {
    decode: SchemaGetter.transformEffect((text: string) =>
      Option.match(Money.parseQuantity(text), {
        onNone: () => refused("a quantity with at most 6 decimals, as text"),
        onSome: Effect.succeed
      })
    ),
    encode: SchemaGetter.transform(Money.formatQuantity)
  })
)

/** A field that may be absent, which means `null`. */
export const orNull = <S extends Schema.Constraint>(schema: S) => orElse(Schema.NullOr(schema), null)

/** A field that may be absent, which means `value`. */
export const orElse = <S extends Schema.Constraint>(schema: S, value: S["Type"]) =>
  Schema.withDecodingDefaultTypeKey<S>(Effect.succeed(value))(schema)

/** A page of a list. `next` is the `after` of the next page; `null` on the last. */
export const page = <Item extends Schema.Constraint, Cursor extends Schema.Constraint>(
  item: Item,
  cursor: Cursor
) => Schema.Struct({ data: Schema.Array(item), next: Schema.NullOr(cursor) })

/** Items of one page. */
export const mostListed = 1_000

/** The parameters of a list. `after` is the `next` of the page before; `null` begins it. */
export const paging = <Cursor extends Schema.Constraint>(cursor: Cursor) => ({
  after: orNull(cursor),
  limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostListed })))
})
