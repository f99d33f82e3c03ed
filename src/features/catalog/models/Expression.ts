/** JSONata expressions of manifests (https://docs.jsonata.org), run in a thread because their values are untrusted. */
import jsonata from "jsonata"
import { Effect, Predicate, Result, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { EvaluatorBusy } from "./expression/EvaluationFor.ts"
import * as Evaluator from "./expression/Evaluator.ts"

/** It cannot be parsed. */
export class InvalidExpression extends Schema.TaggedError<InvalidExpression>()("InvalidExpression", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** The evaluation fails, or its result is not JSON. `reason` comes from the expression and contains no values. */
export class ExpressionFailed extends Schema.TaggedError<ExpressionFailed>()("ExpressionFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

export interface Expression {
  /** `$` is `value`, and each binding a variable. `undefined` if empty. `EvaluationFor` decides the thread. */
  evaluate(
    value: Json,
    bindings?: Readonly<Record<string, Json>>
  ): Effect.Effect<Json | undefined, ExpressionFailed | EvaluatorBusy>
}

export const compile = (text: string): Result.Result<Expression, InvalidExpression> =>
  Result.map(
    Result.try({
      try: () => jsonata(text),
      catch: (cause) => new InvalidExpression({ reason: syntaxError(cause) })
    }),
    (): Expression => ({
      evaluate: (value, bindings = {}) =>
        Effect.matchEffect(Evaluator.evaluate({ text, value, bindings }), {
          onSuccess: (answer) =>
            answer._tag === "Done"
              ? // Made JSON in the thread.
                Effect.succeed(answer.value as Json | undefined)
              : Effect.fail(new ExpressionFailed({ reason: answer.reason })),
          onFailure: (error) =>
            Effect.fail(
              error._tag === "EvaluatorBusy"
                ? error
                : new ExpressionFailed({ reason: lossWords[error.reason] })
            )
        })
    })
  )

const lossWords = {
  deadline: "it takes too long",
  out_of_memory: "it takes too much memory",
  crashed: "its evaluation broke off"
} as const

const syntaxError = (cause: unknown): string => {
  const words = Predicate.hasProperty(cause, "message") ? String(cause.message) : "it cannot be parsed"
  return Predicate.hasProperty(cause, "position") ? `${words} at character ${String(cause.position)}` : words
}
