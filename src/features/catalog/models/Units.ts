/** The billable units of a run, by the expressions of its model's manifest (decisions, "Hold"; domain, `Metering`). */
import { Effect, Option, Result } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Metering, Model } from "#domain/catalog/Model.ts"
import * as Meter from "#domain/Metering.ts"
import * as Money from "#domain/Money.ts"
import { type Quantities, type RunResult, Unmeasurable } from "./Catalog.ts"
import * as Expression from "./Expression.ts"
import type { EvaluatorBusy } from "./expression/EvaluationFor.ts"

export interface Units {
  quantities(input: Json): Effect.Effect<Quantities, Unmeasurable | EvaluatorBusy>
  delivered(result: RunResult): Effect.Effect<Money.Quantity, Unmeasurable>
  /** Whether `delivered` depends on what a run delivers, and not on its input alone. */
  readonly countsDelivered: boolean
}

/** A plain decimal text is used exactly, because a number has only 15 digits. */
const toQuantity = (value: Json | undefined): Option.Option<Money.Quantity> => {
  if (typeof value === "number") return Money.quantityOf(value)
  if (typeof value !== "string" || value.trim() === "") return Option.none()
  return Option.orElse(Money.parseQuantity(value), () => Money.quantityOf(Number(value)))
}

type Field = keyof Metering

const measure =
  (field: Field, expression: Expression.Expression) =>
  (
    value: Json,
    bindings?: Readonly<Record<string, Json>>
  ): Effect.Effect<Money.Quantity, Unmeasurable | EvaluatorBusy> =>
    Effect.flatMap(
      Effect.catchTag(expression.evaluate(value, bindings), "ExpressionFailed", ({ reason }) =>
        Effect.fail(new Unmeasurable({ reason: `The ${field} of this run cannot be computed: ${reason}.` }))
      ),
      (result) => {
        return Effect.mapError(
          Effect.fromOption(toQuantity(result)),
          () =>
            new Unmeasurable({
              reason: `The ${field} of this run cannot be computed: expected a number from 0 to 1000000000000, and below 1000000000 when it has a fraction.`
            })
        )
      }
    )

const compiled = (metering: Metering, field: Field) => {
  const text = metering[field]
  return text === undefined
    ? Result.succeed(null)
    : Result.mapBoth(Expression.compile(text), {
        onSuccess: (expression) => measure(field, expression),
        onFailure: ({ reason }) => `${field}: ${reason}`
      })
}

const isMeasured = ({ price }: Model): boolean => price.unit === "second" || price.unit === "gpu_second"

/** Default of the held and requested units. */
const usual = (model: Model): Quantities | null => {
  if (model.price.unit === "request") return { quantity: Money.units(1), maxQuantity: Money.units(1) }
  return isMeasured(model) ? { quantity: null, maxQuantity: Money.units(model.timeoutSeconds) } : null
}

const largest = (a: Money.Quantity, b: Money.Quantity): Money.Quantity => (a > b ? a : b)

/** Each started ms counts. Rounded via µs, because 16.1 × 1000 exceeds 16100 as a double. */
const wholeMillis = (seconds: number): number => Math.ceil(Math.round(seconds * 1e6) / 1_000)

/**
 * Fails with the reason why the metering does not fit the model's unit.
 * @param countFiles counts the files of a valid output; `null` if its schema declares none.
 */
export const make = (
  model: Model,
  countFiles: ((output: Json) => number) | null
): Result.Result<Units, string> => {
  const { metering = {}, price } = model
  const parts = Result.all({
    quantity: compiled(metering, "quantity"),
    maxQuantity: compiled(metering, "maxQuantity"),
    delivered: compiled(metering, "delivered")
  })
  return Result.flatMap(parts, ({ delivered, maxQuantity, quantity }) => {
    const fallback = usual(model)
    if (quantity === null && maxQuantity === null && fallback === null) {
      return Result.fail(`quantity or maxQuantity: expected for the unit ${price.unit}`)
    }
    const counts = price.unit === "image" ? countFiles : null
    if (quantity === null && delivered === null && counts === null && fallback === null) {
      return Result.fail(`delivered: expected for the unit ${price.unit} where quantity is not given`)
    }

    const quantities = (input: Json): Effect.Effect<Quantities, Unmeasurable | EvaluatorBusy> => {
      if (quantity === null && maxQuantity === null && fallback !== null) return Effect.succeed(fallback)
      return Effect.gen(function* () {
        const requested = quantity === null ? (fallback?.quantity ?? null) : yield* quantity(input)
        const bound = maxQuantity === null ? (requested ?? fallback?.maxQuantity) : yield* maxQuantity(input)
        return {
          quantity: requested,
          maxQuantity: largest(requested ?? Money.units(0), bound ?? Money.units(0))
        }
      })
    }

    const count = (result: RunResult): Effect.Effect<Money.Quantity, Unmeasurable | EvaluatorBusy> => {
      const { input, output, seconds } = result
      if (delivered !== null) return delivered({ input, output, seconds })
      if (counts !== null) return Effect.succeed(Money.units(counts(output)))
      if (isMeasured(model) && quantity === null) return Effect.succeed(Meter.seconds(wholeMillis(seconds)))
      return Effect.map(quantities(input), ({ maxQuantity, quantity }) => quantity ?? maxQuantity)
    }

    const units: Units = {
      quantities,
      countsDelivered: delivered !== null || counts !== null || (isMeasured(model) && quantity === null),
      // For a run, so it is never refused.
      delivered: (result) => Effect.catchTag(count(result), "EvaluatorBusy", Effect.die)
    }
    return Result.succeed(units)
  })
}
