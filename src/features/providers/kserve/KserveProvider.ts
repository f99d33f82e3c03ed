/**
 * Inference servers with the Open Inference Protocol (v2) over HTTP: Triton, KServe, MLServer and others
 * (https://github.com/kserve/open-inference-protocol/blob/main/specification/protocol/inference_rest.md). Jobs have no
 * ids: a run is one call, which ends with this process. Closing the connection is the only way to stop it.
 */
import { Effect, Redacted, Result, Schema } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { Job, Provider, RunControl } from "../Provider.ts"
import { type ProviderAnswer, ProviderHttp } from "../ProviderHttp.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as Seconds from "../Seconds.ts"
import { Options } from "./Options.ts"
import * as Tensors from "./Tensors.ts"

/** How long to wait for an answer beyond the model's limit, ms. The limit ends the run first. */
const graceMs = 10_000

const decode = Schema.decodeUnknownResult(Options)

const stopped: ProviderOutcome = { _tag: "Stopped" }

const misbound = ErrorOutcomes.failed("The binding's options are not those of its adapter.", false)

const unfit = (fault: string) =>
  ErrorOutcomes.failed(`The input does not go into the model's tensors: ${fault}.`, false)

const urlOf = (base: string, { model, version }: Options): string => {
  const path = `v2/models/${encodeURIComponent(model)}`
  const versioned = version === undefined ? path : `${path}/versions/${encodeURIComponent(version)}`
  return `${base.replace(/\/+$/, "")}/${versioned}/infer`
}

/** The inference request, or the fault of the input. */
const bodyOf = ({ input, requestId }: Job, options: Options): Result.Result<JsonObject, string> => {
  const { batched = false, inputs, outputs, parameters } = options
  const common: JsonObject = {
    id: requestId,
    ...(parameters !== undefined && { parameters }),
    ...(outputs !== undefined && { outputs: [...new Set(Object.values(outputs))].map((name) => ({ name })) })
  }
  if (inputs !== undefined)
    return Result.map(Tensors.encode(inputs, batched, input), (inputs) => ({ ...common, inputs }))
  return isObject(input) && Array.isArray(input["inputs"])
    ? Result.succeed({ ...common, ...input })
    : Result.fail("an inference request with inputs is expected")
}

/** `null` if the answer is outside the protocol. */
const outputOf = (
  { batched = false, inputs, outputs }: Options,
  answer: Json | undefined
): JsonObject | null => {
  if (inputs !== undefined || outputs !== undefined) return Tensors.decode(outputs, batched, answer)
  return isObject(answer) && Array.isArray(answer["outputs"]) ? answer : null
}

/**
 * "A failed inference request must be indicated by an HTTP error status (typically 400)", with an `error` in the body;
 * FastAPI servers use 422. Without an `error` a gateway refused, and after 404 or 5xx nothing has run.
 */
const isFailedRun = ({ json, status }: ProviderAnswer): boolean =>
  (status === 400 || status === 422) && isObject(json) && typeof json["error"] === "string"

export const make = Effect.gen(function* () {
  const http = yield* ProviderHttp

  const infer = Effect.fnUntraced(
    function* ({ binding, model }: Job, options: Options, body: JsonObject, control: RunControl) {
      const secret = yield* http.secret(binding)
      if (ErrorOutcomes.isSecretMissing(binding, secret)) return ErrorOutcomes.secretMissing
      // The server reports nothing before the answer, so a run that is not refused at once has started.
      yield* control.started
      const answer = yield* http.call({
        method: "POST",
        url: urlOf(binding.url ?? "", options),
        ...(secret !== null && { headers: { authorization: `Bearer ${Redacted.value(secret)}` } }),
        body,
        timeoutMs: model.timeoutSeconds * 1_000 + graceMs
      })
      if (isFailedRun(answer)) return ErrorOutcomes.modelFailed(answer.json)
      if (!ErrorOutcomes.isSuccess(answer)) return yield* ErrorOutcomes.ofAnswer(answer)
      const output = outputOf(options, answer.json)
      if (output === null) return ErrorOutcomes.babble
      return { _tag: "Succeeded", output, delivered: null } satisfies ProviderOutcome
    },
    Effect.catchTag("NoAnswer", (error) => Effect.succeed(ErrorOutcomes.ofNoHandOver(error)))
  )

  const provider: Provider = {
    adapter: "kserve",

    run: Effect.fn("KserveProvider.run")(function* (job, control) {
      const options = decode(job.binding.options ?? {})
      if (Result.isFailure(options)) return misbound
      const body = bodyOf(job, options.success)
      if (Result.isFailure(body)) return unfit(body.failure)
      return yield* Effect.raceFirst(
        Seconds.ofCall(infer(job, options.success, body.success, control)),
        Effect.as(control.stopRequested, stopped)
      )
    }),

    reach: ({ url = "" }) => http.reach(url),
    /** The call ended with the process that made it. */
    reattach: () => Effect.succeed(ErrorOutcomes.lost),
    look: () => Effect.succeed({ _tag: "Unknown" })
  }
  return provider
})
