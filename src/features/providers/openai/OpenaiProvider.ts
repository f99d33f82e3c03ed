/**
 * Servers with OpenAI's HTTP API: OpenAI, vLLM, llama.cpp, LocalAI and many more. The body of the call is the mapped
 * input with the binding's `model`; `docs/operators/providers/openai.md` describes the outputs. Jobs have no ids: a run
 * is one call, which ends with this process, and closing the connection stops it.
 */
import { Effect, Redacted, Result, Schema } from "effect"
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as RunStart from "../RunStart.ts"
import * as ReplacedControl from "../ReplacedControl.ts"
import type { Job, Provider, RunControl } from "../Provider.ts"
import * as Bytes from "#src/kernel/text/Bytes.ts"
import { ProviderFiles } from "../ProviderFiles.ts"
import { type Call, type ProviderAnswer, ProviderHttp, type StreamedAnswer } from "../ProviderHttp.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as Seconds from "../Seconds.ts"
import * as ServerEvents from "../ServerEvents.ts"
import * as ChatAssembly from "./ChatAssembly.ts"
import * as ChatStream from "./ChatStream.ts"
import * as CompletionChunks from "./CompletionChunks.ts"
import * as OpenaiErrorOutcomes from "./OpenaiErrorOutcomes.ts"
import * as FormBody from "./FormBody.ts"
import { Options } from "./Options.ts"

/** By the first bytes of the file, in base64: `\x89PNG`, `\xff\xd8\xff`, `RIFF`. */
const beginnings = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["UklGR", "image/webp"]
] as const

/** The file's own type takes precedence over the answer's `output_format`. */
const mediaType = (base64: string, format: Json | undefined): string =>
  beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1] ??
  (format === "jpeg" || format === "webp" ? `image/${format}` : "image/png")

/** `null` if the answer has no pictures. */
const normalize = (json: Json | undefined): JsonObject | null => {
  if (!isObject(json)) return null
  const { data, output_format: format } = json
  if (!isList(data)) return null
  const pictures = data.flatMap((picture) => {
    if (!isObject(picture)) return []
    const { b64_json: base64, ...rest } = picture
    if (typeof base64 === "string")
      return [{ ...rest, url: `data:${mediaType(base64, format)};base64,${base64}` }]
    return typeof rest["url"] === "string" ? [rest] : []
  })
  return pictures.length === data.length ? { ...json, data: pictures } : null
}

const paths: Readonly<Record<Options["endpoint"], string>> = {
  chat: "/chat/completions",
  completions: "/completions",
  responses: "/responses",
  images: "/images/generations",
  embeddings: "/embeddings",
  transcriptions: "/audio/transcriptions",
  speech: "/audio/speech"
}

/** Forms of a transcription that are JSON, as the output is. */
const jsonForms: ReadonlySet<Json | undefined> = new Set(["json", "verbose_json", "diarized_json"])

/** Texts and subtitles are made of the JSON. */
const transcriptionForm = (asked: Json | undefined): Json => (jsonForms.has(asked) ? (asked ?? null) : "json")

/** Of a file that is sent, bytes. */
const maxFileBytes = 64 * 1024 * 1024

/** How long to wait for an answer beyond the model's limit, ms. The limit ends the run first. */
const graceMs = 10_000

const decode = Schema.decodeUnknownResult(Options, { onExcessProperty: "error" })

const stopped: ProviderOutcome = { _tag: "Stopped" }

const misbound = ErrorOutcomes.failed("The binding's options are not those of its adapter.", false)

const isOfText = ({ endpoint }: Options): boolean => endpoint === "chat" || endpoint === "completions"

const streams = (options: Options): boolean => isOfText(options) && options.stream !== false

/** Reports chunks in the form of the model's `output.stream`. */
const reporter = ({ model: { output } }: Job, control: RunControl): ((given: JsonObject) => void) => {
  switch (output?.stream) {
    case "openai":
      return (given) => control.chunk(given)
    case "text":
      return (given) => {
        const text = CompletionChunks.textIn(given)
        if (text !== "") control.chunk(text)
      }
    case "items":
    case "last":
    case undefined:
      return () => {}
  }
}

/** The binding's fields override the client's input, so that it cannot choose the model or the form. */
const bodyOf = (options: Options, input: JsonObject): JsonObject => {
  const { stream: _stream, stream_options: _options, ...rest } = input
  const body = { ...rest, model: options.model }
  return streams(options) ? { ...body, stream: true, stream_options: { include_usage: true } } : body
}

/** The member that every answer of the endpoint has. */
const lists: Readonly<Record<Exclude<Options["endpoint"], "images" | "speech">, string>> = {
  chat: "choices",
  completions: "choices",
  responses: "output",
  embeddings: "data",
  transcriptions: "text"
}

const outputOf = ({ endpoint }: Options, { json }: ProviderAnswer): JsonObject | null => {
  if (endpoint === "images") return normalize(json)
  const given = isObject(json) && endpoint !== "speech" ? json[lists[endpoint]] : undefined
  const isIt = endpoint === "transcriptions" ? typeof given === "string" : Array.isArray(given)
  return isObject(json) && isIt ? json : null
}

/** The most tokens over all choices; `null` if the input has no limit. */
const mostTokens = (input: JsonObject): number | null => {
  const limit = input["max_completion_tokens"] ?? input["max_tokens"]
  const choices = typeof input["n"] === "number" ? input["n"] : 1
  return typeof limit === "number" && limit > 0 && choices > 0 ? limit * choices : null
}

/** Answers usually end before their limit, so the progress is a lower bound. */
const fractionOf = (parts: number, most: number): number => Math.min(parts / most, 0.99)

const noFile = "The input that the binding maps to has no file."

const noObject = ErrorOutcomes.failed("The input that the binding maps to is no JSON object.", false)

/** The sound in the body, as a `data:` URL; `null` for another body. */
const soundIn = Effect.fnUntraced(function* ({ each, headers }: StreamedAnswer) {
  const contentType = (headers["content-type"] ?? "audio/mpeg").split(";", 1)[0]?.trim() ?? ""
  if (!/^(audio|video)\/[a-z0-9.+-]+$|^application\/octet-stream$/i.test(contentType)) return null
  const bytes = Bytes.make()
  yield* each((part) => {
    bytes.add(part)
    return true
  })
  const sound = Buffer.from(bytes.whole()).toString("base64")
  return sound === "" ? null : { url: `data:${contentType};base64,${sound}` }
})

interface Run {
  readonly job: Job
  readonly options: Options
  readonly input: JsonObject
  /** What a stream has made so far. */
  readonly assembly: ChatAssembly.ChatAssembly
}

export const make = Effect.gen(function* () {
  const http = yield* ProviderHttp
  const files = yield* ProviderFiles

  /** The body of the call: JSON, or a form with the file that `file` of the input names. */
  const bodyOfCall = Effect.fnUntraced(function* ({ input, options }: Run) {
    if (options.endpoint !== "transcriptions") return { body: bodyOf(options, input) }
    const { file: url, ...fields } = bodyOf(options, input)
    if (typeof url !== "string") return yield* Effect.fail({ message: noFile, retryable: false })
    const { bytes, contentType } = FormBody.of(
      { ...fields, response_format: transcriptionForm(fields["response_format"]) },
      yield* files.read(url, maxFileBytes)
    )
    return { bytes, headers: { "content-type": contentType } }
  })

  const read = Effect.fnUntraced(function* (
    answer: StreamedAnswer,
    { assembly, input, job, options }: Run,
    control: RunControl
  ) {
    if (!ErrorOutcomes.isSuccess(answer)) return yield* OpenaiErrorOutcomes.ofAnswer(yield* answer.whole)
    yield* control.started
    const onChunk = reporter(job, control)
    if (streams(options) && ServerEvents.isStream(answer)) {
      const most = mostTokens(input)
      const onParts = (parts: number) => {
        if (most !== null) control.note({ fraction: fractionOf(parts, most), logs: [] })
      }
      return yield* ChatStream.read(answer, { assembly, onChunk, onParts })
    }
    const output =
      options.endpoint === "speech" ? yield* soundIn(answer) : outputOf(options, yield* answer.whole)
    if (output === null) return ErrorOutcomes.babble
    if (isOfText(options)) onChunk(CompletionChunks.ofCompletion(output))
    return { _tag: "Succeeded", output, delivered: null } satisfies ProviderOutcome
  })

  const call = Effect.fnUntraced(function* (run: Run, control: RunControl) {
    const { job, options } = run
    const { binding, model } = job
    const secret = yield* http.secret(binding)
    if (ErrorOutcomes.isSecretMissing(binding, secret)) return ErrorOutcomes.secretMissing
    const { headers = {}, ...body } = yield* bodyOfCall(run)
    const call: Call = {
      ...body,
      method: "POST",
      url: `${(binding.url ?? "").replace(/\/+$/, "")}${paths[options.endpoint]}`,
      headers: {
        accept: streams(options) ? ServerEvents.accept : "application/json",
        ...headers,
        ...(secret !== null && { authorization: `Bearer ${Redacted.value(secret)}` })
      },
      timeoutMs: model.timeoutSeconds * 1_000 + graceMs,
      ...(streams(options) && { maxBytes: ServerEvents.mostBytes })
    }
    const begun = RunStart.make(control)
    if (!streams(options)) yield* begun.unlessRefused
    return yield* http.stream({ ...call, onSent: begun.onSent }, (answer) =>
      read(answer, run, ReplacedControl.of(control, { started: begun.tell }))
    )
  }, Effect.scoped)

  const run = Effect.fn("OpenaiProvider.run")(function* (job: Job, control: RunControl) {
    const options = decode(job.binding.options ?? {})
    if (Result.isFailure(options)) return misbound
    const { input } = job
    if (!isObject(input)) return noObject
    const assembly = ChatAssembly.make(
      options.success.endpoint === "chat" ? "chat.completion" : "text_completion"
    )
    const called = Effect.catchTag(
      call({ job, options: options.success, input, assembly }, control),
      "NoAnswer",
      (error) => Effect.succeed(ErrorOutcomes.ofNoHandOver(error))
    ).pipe(Effect.catch(({ message, retryable }) => Effect.succeed(ErrorOutcomes.failed(message, retryable))))
    const outcome = yield* Effect.raceFirst(Seconds.ofCall(called), Effect.as(control.stopRequested, stopped))
    // Nothing is read any more, so these are all the chunks that were reported.
    const made = outcome._tag === "Stopped" && job.model.output !== undefined ? assembly.cut() : null
    return made === null ? outcome : ({ _tag: "CutShort", output: made } satisfies ProviderOutcome)
  })

  const provider: Provider = {
    adapter: "openai",
    run,
    reach: ({ url = "" }) => http.reach(url),
    /** The call ended with the process that made it. */
    reattach: () => Effect.succeed(ErrorOutcomes.lost),
    look: () => Effect.succeed({ _tag: "Unknown" })
  }
  return provider
})
