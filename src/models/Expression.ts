/**
 * JSONata expressions of manifests (https://docs.jsonata.org). They are the operator's word, what they are applied to is a
 * client's or a provider's: time, depth and length of one evaluation are bounded. A regular expression is not, once it runs.
 */
import jsonata from "jsonata"
import { Effect, Predicate, Result, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"

/** It cannot be parsed. */
export class InvalidExpression extends Schema.TaggedError<InvalidExpression>()("InvalidExpression", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** Evaluated, it fails or ends in what is no JSON. `reason` is the expression's own; values are not in it. */
export class ExpressionFailed extends Schema.TaggedError<ExpressionFailed>()("ExpressionFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

export interface Expression {
  /** `$` is `value`, and each binding a variable of its name. `undefined` where it ends in nothing. */
  evaluate(
    value: Json,
    bindings?: Readonly<Record<string, Json>>
  ): Effect.Effect<Json | undefined, ExpressionFailed>
}

/** Of one evaluation: ms, nested calls, members of a sequence. Nothing else of the process goes on meanwhile. */
const limits = { timeout: 250, stack: 500, sequence: 100_000 }

/** Codes of the limits, and of `$error` and `$assert`, whose words are the manifest's own. */
const speaking: ReadonlySet<string> = new Set(["D1011", "D1012", "D2015", "D3137", "D3141"])

export const compile = (text: string): Result.Result<Expression, InvalidExpression> =>
  Result.map(
    Result.try({
      try: () => jsonata(text, limits),
      catch: (cause) => new InvalidExpression({ reason: syntaxError(cause) })
    }),
    (compiled): Expression => ({
      evaluate: (value, bindings) =>
        Effect.flatMap(
          Effect.tryPromise({
            try: (): Promise<unknown> => compiled.evaluate(value, bindings),
            catch: (cause) => new ExpressionFailed({ reason: failure(cause) })
          }),
          (result) =>
            result === undefined || isJson(result)
              ? Effect.succeed(result)
              : Effect.fail(new ExpressionFailed({ reason: "it ends in what is no JSON" }))
        )
    })
  )

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : "unknown"

const wordsOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "message") && typeof cause.message === "string" ? cause.message : codeOf(cause)

const syntaxError = (cause: unknown): string => {
  const at = Predicate.hasProperty(cause, "position") ? ` at character ${String(cause.position)}` : ""
  return `${wordsOf(cause)}${at}`
}

/** Other messages of JSONata quote the value that they are about. */
const failure = (cause: unknown): string => {
  const code = codeOf(cause)
  return speaking.has(code) ? wordsOf(cause) : `it cannot be evaluated (${code})`
}

/** What JSONata makes may hold functions, and numbers that JSON has none of. */
const isJson = (result: unknown): result is Json => {
  const open: Array<unknown> = [result]
  for (let index = 0; index < open.length; index++) {
    const value = open[index]
    if (value === null || typeof value === "string" || typeof value === "boolean") continue
    if (typeof value === "number" && Number.isFinite(value)) continue
    if (typeof value !== "object") return false
    if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return false
    for (const member of Object.values(value)) open.push(member)
  }
  return true
}
