/**
 * Inference servers with the Open Inference Protocol (v2) over HTTP: Triton, KServe, MLServer and others
 * (https://github.com/kserve/open-inference-protocol/blob/main/specification/protocol/inference_rest.md). Jobs have no
 * ids: a run is one call, which ends with this process. Closing the connection is the only way to stop it.
 */
import { Effect, Redacted, Result, Schema } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { Job, Provider, RunControl } from "../Provider.ts"
import type { NoAnswer } from "../NoAnswer.ts"
import * as EventOutput from "../EventOutput.ts"
import * as OutputChunks from "../OutputChunks.ts"
import { type Call, type ProviderAnswer, ProviderHttp } from "../ProviderHttp.ts"
import * as ServerEvents from "../ServerEvents.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as Seconds from "../Seconds.ts"
import * as Generation from "./Generation.ts"
import { Options } from "./Options.ts"
import * as Tensors from "./Tensors.ts"

/** How long to wait for an answer beyond the model's limit, ms. The limit ends the run first. */
const graceMs = 10_000

const decode = Schema.decodeUnknownResult(Options)

const stopped: ProviderOutcome = { _tag: "Stopped" }

const misbound = ErrorOutcomes.failed("The binding's options are not those of its adapter.", false)

const unfit = (fault: string) =>
  ErrorOutcomes.failed(`The input does not go into the model's tensors: ${fault}.`, false)

const urlOf = (base: string, { model, version }: Options, call: "infer" | "generate_stream"): string => {
  const path = `v2/models/${encodeURIComponent(model)}`
  const versioned = version === undefined ? path : `${path}/versions/${encodeURIComponent(version)}`
  return `${base.replace(/\/+$/, "")}/${versioned}/${call}`
}

/** What the input says itself counts. */
const missingIn = (input: JsonObject, common: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(common).filter(([name]) => !Object.hasOwn(input, name)))

/** With the digits that integers past 2^53 have in the values from which it was made. */
const exact = (made: JsonObject, from: ReadonlyArray<Json>): JsonObject => {
  const restored = JsonText.restore(made, from.flatMap(JsonText.longIntegers))
  return isObject(restored) ? restored : made
}

/** The inference request, or the fault of the input. */
const bodyOf = ({ binding, input, requestId }: Job, options: Options): Result.Result<JsonObject, string> => {
  const { batched = false, inputs, outputs, parameters } = options
  const common: JsonObject = {
    id: requestId,
    ...(parameters !== undefined && { parameters }),
    ...(outputs !== undefined && { outputs: [...new Set(Object.values(outputs))].map((name) => ({ name })) })
  }
  if (inputs !== undefined)
    return Result.map(Tensors.encode(inputs, batched, input), (inputs) =>
      exact({ ...common, inputs }, [binding.options ?? {}, input])
    )
  return isObject(input) && Array.isArray(input["inputs"])
    ? Result.succeed(JsonText.edit(input, { set: missingIn(input, common) }))
    : Result.fail("an inference request with inputs is expected")
}

/** `null` if the answer is outside the protocol. */
const outputOf = (
  { batched = false, inputs, outputs }: Options,
  answer: Json | undefined
): JsonObject | null => {
  if (inputs !== undefined || outputs !== undefined) {
    const output = Tensors.decode(outputs, batched, answer)
    return output === null || answer === undefined ? null : exact(output, [answer])
  }
  return isObject(answer) && Array.isArray(answer["outputs"]) ? answer : null
}

/**
 * "A failed inference request must be indicated by an HTTP error status (typically 400)", with an `error` in the body;
 * FastAPI servers use 422. Without an `error` a gateway refused, and after 404 or 5xx nothing has run.
 */
const isFailedRun = ({ json, status }: ProviderAnswer): boolean =>
  (status === 400 || status === 422) && isObject(json) && typeof json["error"] === "string"

/** `null` if the answer has an output. */
const refusalOf = (answer: ProviderAnswer): Effect.Effect<ProviderOutcome> | null => {
  if (isFailedRun(answer)) return Effect.succeed(ErrorOutcomes.modelFailed(answer.json, answer.status))
  return ErrorOutcomes.isSuccess(answer) ? null : ErrorOutcomes.ofAnswer(answer)
}

const succeededWith = (output: Json | null, answer: ProviderAnswer): ProviderOutcome =>
  output === null ? ErrorOutcomes.ofForm(answer) : { _tag: "Succeeded", output, delivered: null }

/** "The user must always check whether an error object is received": the status of a stream is that of its first event. */
const failureIn = (json: Json): ProviderOutcome | null =>
  isObject(json) && typeof json["error"] === "string" ? ErrorOutcomes.modelFailed(json) : null

/** A call to the server. */
interface Asked {
  readonly options: Options
  readonly body: JsonObject
  readonly secret: Redacted.Redacted | null
}

export const make = Effect.gen(function* () {
  const http = yield* ProviderHttp

  const headersOf = (secret: Redacted.Redacted | null): Call["headers"] =>
    secret === null ? {} : { authorization: `Bearer ${Redacted.value(secret)}` }

  const infer = ({ binding, model }: Job, { body, options, secret }: Asked) =>
    Effect.flatMap(
      http.call({
        method: "POST",
        url: urlOf(binding.url ?? "", options, "infer"),
        headers: { ...headersOf(secret) },
        body,
        timeoutMs: model.timeoutSeconds * 1_000 + graceMs
      }),
      (answer) => refusalOf(answer) ?? Effect.succeed(succeededWith(outputOf(options, answer.json), answer))
    )

  /** A server without event streams answers with one response. */
  const generate = (
    { binding, model }: Job,
    { body, options, secret }: Asked,
    chunks: OutputChunks.OutputChunks
  ) => {
    const kind = model.output?.stream ?? "last"
    const chunkIn = (data: JsonText.Spelled) => Generation.chunkIn(options, kind, data)
    return http.stream(
      {
        method: "POST",
        url: urlOf(binding.url ?? "", options, "generate_stream"),
        headers: { ...headersOf(secret), accept: ServerEvents.accept },
        body,
        timeoutMs: model.timeoutSeconds * 1_000 + graceMs,
        maxBytes: ServerEvents.mostBytes
      },
      (answer): Effect.Effect<ProviderOutcome, NoAnswer> =>
        ServerEvents.isStream(answer)
          ? EventOutput.read(answer, { chunks, chunkIn, failureIn: (_event, json) => failureIn(json) })
          : Effect.flatMap(
              answer.whole,
              (whole) => refusalOf(whole) ?? Effect.succeed(EventOutput.ofOne(whole, { chunks, chunkIn }))
            )
    )
  }

  const call = Effect.fnUntraced(
    function* (
      job: Job,
      asked: Omit<Asked, "secret">,
      chunks: OutputChunks.OutputChunks | null,
      { started }: RunControl
    ) {
      const secret = yield* http.secret(job.binding)
      if (ErrorOutcomes.isSecretMissing(job.binding, secret)) return ErrorOutcomes.secretMissing
      // The server reports nothing before the answer, so a run that is not refused at once has started.
      yield* started
      const whole = { ...asked, secret }
      return yield* chunks === null ? infer(job, whole) : generate(job, whole, chunks)
    },
    Effect.catchTag("NoAnswer", (error) => Effect.succeed(ErrorOutcomes.ofNoHandOver(error)))
  )

  const provider: Provider = {
    adapter: "kserve",

    run: Effect.fn("KserveProvider.run")(function* (job, control) {
      const options = decode(job.binding.options ?? {})
      if (Result.isFailure(options)) return misbound
      const chunks = OutputChunks.make(job, control)
      const body =
        chunks === null ? bodyOf(job, options.success) : Generation.bodyOf(options.success, job.input)
      if (Result.isFailure(body)) return unfit(body.failure)
      const asked = { options: options.success, body: body.success }
      const ended = yield* Effect.raceFirst(
        Seconds.ofCall(call(job, asked, chunks, control)),
        Effect.as(control.stopRequested, stopped)
      )
      return chunks === null ? ended : yield* chunks.ended(ended)
    }),

    reach: ({ url = "" }) => http.reach(url),
    /** The call ended with the process that made it. */
    reattach: () => Effect.succeed(ErrorOutcomes.lost),
    look: () => Effect.succeed({ _tag: "Unknown" })
  }
  return provider
})
