/**
 * Servers with OpenAI's HTTP API: OpenAI, vLLM, llama.cpp, LocalAI and many more. The body of the call is the mapped
 * input with the binding's `model`; `docs/operators/providers/openai.md` describes the outputs. Jobs have no ids: a run
 * is one call, which ends with this process, and closing the connection stops it.
 */
import { Effect, Redacted, Result, Schema } from "effect"
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
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
import * as ChatEvent from "./ChatEvent.ts"
import * as ChatStream from "./ChatStream.ts"
import * as CompletionChunks from "./CompletionChunks.ts"
import * as OpenaiErrorOutcomes from "./OpenaiErrorOutcomes.ts"
import * as FormBody from "./FormBody.ts"
import { Options } from "./Options.ts"
import * as Strictness from "./Strictness.ts"

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

const succeeded = (output: JsonObject): ProviderOutcome => ({ _tag: "Succeeded", output, delivered: null })

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
  const body = isOfText(options) ? Strictness.body(input, options) : input
  const streaming = {
    stream: true,
    ...(options.streamUsage !== false && { stream_options: { include_usage: true } })
  }
  return JsonText.edit(body, {
    omit: ["stream", "stream_options"],
    set: { model: options.model, ...(streams(options) && streaming) }
  })
}

/** The address of an endpoint: the base may have a query, such as the version of an API. */
const addressOf = ({ url = "" }: ProviderBinding, { endpoint }: Options): string => {
  const [base = "", ...query] = url.split("?")
  return [`${base.replace(/\/+$/, "")}${paths[endpoint]}`, ...query].join("?")
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
  /** The binding's, with what was learned of its server. */
  readonly options: Options
  readonly learned: Strictness.Strictness
  readonly input: JsonObject
  /** What a stream has made so far. */
  readonly assembly: ChatAssembly.ChatAssembly
}

/** A server refused the call, but not what it says, if it is said in another way. */
interface Again {
  readonly _tag: "Again"
  readonly strictness: Strictness.Strictness
}

/** Servers of which something is remembered. */
const mostServers = 1_024

const serverOf = ({ name, url = "" }: ProviderBinding, { endpoint, model }: Options): string =>
  JSON.stringify([name, url, endpoint, model])

export const make = Effect.gen(function* () {
  const http = yield* ProviderHttp
  const files = yield* ProviderFiles
  const servers = RecentlyUsed.make<Strictness.Strictness>({ capacity: mostServers })

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

  /** The end of a call that the server refused, unless it can be said in another way. */
  const refused = Effect.fnUntraced(function* (answer: ProviderAnswer, { input, options }: Run) {
    const strictness = isOfText(options) ? Strictness.learned(options, bodyOf(options, input), answer) : null
    if (strictness !== null) return { _tag: "Again", strictness } satisfies Again
    return yield* OpenaiErrorOutcomes.ofAnswer(answer)
  })

  const readWhole = Effect.fnUntraced(function* (
    answer: StreamedAnswer,
    { options }: Run,
    onChunk: (given: JsonObject) => void
  ) {
    if (options.endpoint === "speech") {
      const sound = yield* soundIn(answer)
      return sound === null ? ErrorOutcomes.babble : succeeded(sound)
    }
    const whole = yield* answer.whole
    const output = outputOf(options, whole)
    const error = output === null || isOfText(options) ? ChatEvent.errorOf(whole.json) : null
    if (error !== null) return yield* OpenaiErrorOutcomes.ofStreamed(error, false)
    if (output === null) return ErrorOutcomes.ofForm(whole)
    if (!isOfText(options)) return succeeded(output)
    const completion = CompletionChunks.completed(output)
    onChunk(CompletionChunks.ofCompletion(completion))
    return succeeded(completion)
  })

  const read = Effect.fnUntraced(function* (answer: StreamedAnswer, run: Run, control: RunControl) {
    const { assembly, input, job, options } = run
    if (!ErrorOutcomes.isSuccess(answer)) return yield* refused(yield* answer.whole, run)
    if (Object.keys(run.learned).length > 0) servers.set(serverOf(job.binding, options), run.learned)
    yield* control.started
    const onChunk = reporter(job, control)
    if (!streams(options) || !ServerEvents.isStream(answer)) return yield* readWhole(answer, run, onChunk)
    const most = mostTokens(input)
    const onParts = (parts: number) => {
      if (most !== null) control.note({ fraction: fractionOf(parts, most), logs: [] })
    }
    return yield* ChatStream.read(answer, { assembly, onChunk, onParts })
  })

  const callOnce = Effect.fnUntraced(function* (run: Run, control: RunControl) {
    const { job, options } = run
    const { binding, model } = job
    const secret = yield* http.secret(binding)
    if (ErrorOutcomes.isSecretMissing(binding, secret)) return ErrorOutcomes.secretMissing
    const { headers = {}, ...body } = yield* bodyOfCall(run)
    const call: Call = {
      ...body,
      method: "POST",
      url: addressOf(binding, options),
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

  /** Each repetition says another thing in another way, so there are few. */
  const call = Effect.fnUntraced(function* (run: Omit<Run, "learned">, control: RunControl) {
    let learned: Strictness.Strictness = servers.get(serverOf(run.job.binding, run.options)) ?? {}
    while (true) {
      const ended = yield* callOnce({ ...run, learned, options: { ...learned, ...run.options } }, control)
      if (ended._tag !== "Again") return ended
      learned = { ...learned, ...ended.strictness }
    }
  })

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
