/** Translates between a model and the provider that runs it. */
import { Effect, Result } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { ProviderOutcome, RunOutcome } from "#domain/Outcome.ts"
import type { Catalog, CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as Expression from "#src/features/catalog/models/Expression.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"

export interface MappedRun {
  readonly entry: CatalogEntry
  readonly binding: ProviderBinding
  /** As submitted. */
  readonly submitted: Json
}

/**
 * The binding of the request's newest run. The mapping comes from the request's model version; address and credential
 * come from the current version, because a provider may have moved. If only one version has the provider, that one
 * counts; if neither has it, the first binding of the request's version.
 */
export const bindingOf = (
  { model }: CatalogEntry,
  { phase }: Request,
  current: CatalogEntry | null = null
): ProviderBinding => {
  const name = "run" in phase ? phase.run.provider : null
  const isIt = (binding: ProviderBinding) => binding.name === name
  const own = model.providers.find(isIt)
  const now = current === null || current.model === model ? undefined : current.model.providers.find(isIt)
  if (now === undefined || own === undefined) return own ?? now ?? model.providers[0]
  if (now.adapter !== own.adapter) return now
  const { secretEnv: _secretEnv, url: _url, ...said } = own
  const { secretEnv, url } = now
  return { ...said, ...(url === undefined ? {} : { url }), ...(secretEnv === undefined ? {} : { secretEnv }) }
}

/** `bindingOf` with the current catalog. */
export const findBinding = (catalog: Catalog["Service"], entry: CatalogEntry, request: Request) =>
  Effect.mapEager(catalog.find(request.submitted.model), (current) => bindingOf(entry, request, current))

/** The model as its provider knows it: the base of a wrapper. */
export const modelOf = ({ model, runs }: CatalogEntry): Model =>
  model.endpoint === runs ? model : { ...model, endpoint: runs }

/** By text, because the binding of an older version is a new object in each run. */
const compiled = RecentlyUsed.make<Expression.Expression>({ capacity: 2_048 })

/** `null` without an expression. Dies if it does not compile, because publishing checks that. */
const expressionOf = (text: string | undefined): Expression.Expression | null => {
  if (text === undefined) return null
  const known = compiled.get(text)
  if (known !== undefined) return known
  const expression = Result.getOrThrow(Expression.compile(text))
  compiled.set(text, expression)
  return expression
}

/** An expression computes with doubles, so what it returns of an integer past 2^53 would have other digits. */
const unlessChanged = (integers: ReadonlyArray<JsonText.LongInteger>, mapped: Json) => {
  const [changed] = JsonText.changedIn(integers, mapped)
  return changed === undefined
    ? Effect.succeed(mapped)
    : Effect.fail(
        new Expression.ExpressionFailed({
          reason: `it would change the integer past 2^53 at ${JsonText.pointerOf(changed.path)}`
        })
      )
}

/** `value` without an expression. */
const map = (
  expression: Expression.Expression | null,
  value: Json,
  bindings?: Readonly<Record<string, Json>>
): Effect.Effect<Json, Expression.ExpressionFailed> =>
  expression === null
    ? Effect.succeed(value)
    : Effect.flatMap(
        Effect.catchTag(expression.evaluate(value, bindings), "EvaluatorBusy", Effect.die),
        (mapped) =>
          mapped === undefined
            ? Effect.fail(new Expression.ExpressionFailed({ reason: "it ends in nothing" }))
            : unlessChanged(JsonText.longIntegers(value), mapped)
      )

const mapOutput = ({ binding, submitted }: MappedRun, output: Json) =>
  map(expressionOf(binding.output), output, { input: submitted })

/** The operator has to correct it, and the client gets a short message. Another provider may succeed. */
const inputUnmapped = ({ reason }: Expression.ExpressionFailed): Effect.Effect<never, RunOutcome> =>
  Effect.andThen(
    Effect.logError(`The input of a run cannot be mapped for its provider: ${reason}`),
    Effect.fail<RunOutcome>({
      _tag: "ProviderError",
      message: "The input cannot be converted for the provider.",
      retryable: false
    })
  )

const outputUnmapped = ({ reason }: Expression.ExpressionFailed): Effect.Effect<RunOutcome> =>
  Effect.as(Effect.logError(`The answer of a provider cannot be mapped: ${reason}`), {
    _tag: "ModelFailed",
    message: "The provider's answer cannot be converted to the model's output."
  })

/** An invalid measure counts as none. */
const isMeasure = (seconds: number | undefined): seconds is number =>
  seconds !== undefined && Number.isFinite(seconds) && seconds >= 0

/** The outcome of a provider's report. `seconds`, observed here, counts if the provider does not measure. */
export const outcomeOf = (
  run: MappedRun,
  reported: ProviderOutcome,
  seconds: number
): Effect.Effect<RunOutcome> => {
  if (reported._tag === "CutShort") return cutShort(run, reported.output, seconds)
  if (reported._tag !== "Succeeded") return Effect.succeed(reported)
  const { delivered, seconds: measured } = reported
  const text = run.binding.output === undefined ? reported.text : undefined
  if (delivered !== null && run.binding.output === undefined)
    return Effect.succeed({ ...reported, delivered })
  return Effect.matchEffect(mapOutput(run, reported.output), {
    onSuccess: (output) =>
      delivered === null
        ? Effect.map(counted(run, output, isMeasure(measured) ? measured : seconds), (outcome) =>
            outcome._tag === "Succeeded" && text !== undefined ? { ...outcome, text } : outcome
          )
        : Effect.succeed<RunOutcome>({ _tag: "Succeeded", output, delivered }),
    onFailure: outputUnmapped
  })
}

const stopped: RunOutcome = { _tag: "Stopped" }

/**
 * Where the price counts what is delivered, what a stopped run had made is its output. If the price does not, or it had made
 * nothing valid that can be counted, the run was stopped and costs nothing.
 */
const cutShort = (run: MappedRun, made: Json, seconds: number): Effect.Effect<RunOutcome> =>
  run.entry.countsDelivered
    ? mapOutput(run, made).pipe(
        Effect.flatMap((output) => counted(run, output, seconds)),
        Effect.map((outcome): RunOutcome =>
          outcome._tag === "Succeeded" &&
          outcome.delivered > 0n &&
          run.entry.validateOutput(outcome.output).length === 0
            ? { ...outcome, cut: true }
            : stopped
        ),
        Effect.catchTag("ExpressionFailed", () => Effect.succeed(stopped))
      )
    : Effect.succeed(stopped)

const counted = ({ entry, submitted }: MappedRun, output: Json, seconds: number) =>
  Effect.match(entry.delivered({ input: submitted, output, seconds }), {
    onSuccess: (delivered): RunOutcome => ({ _tag: "Succeeded", output, delivered }),
    onFailure: ({ reason }): RunOutcome => ({ _tag: "ModelFailed", message: reason })
  })

/** The input for the provider. Fails with the outcome of a run without one. */
export const inputOf = ({ binding, entry, submitted }: MappedRun): Effect.Effect<Json, RunOutcome> => {
  const input = entry.runInput(submitted)
  return binding.input === undefined
    ? Effect.succeed(input)
    : Effect.catch(map(expressionOf(binding.input), input), inputUnmapped)
}
