import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { InvalidInputError } from "#clients/typescript/Errors.ts"
import type { OutputEvent } from "#clients/typescript/OutputStream.ts"
import type { RetrievedRequest } from "#clients/typescript/Wire.ts"
import { CommandError, UsageError } from "#src/cli/Failure.ts"
import * as Target from "#src/cli/files/Target.ts"
import * as Output from "#src/cli/Output.ts"
import * as CallError from "#src/cli/platform/CallError.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as LiveOutput from "./LiveOutput.ts"
import * as OutputFiles from "./OutputFiles.ts"
import * as RequestFollowing from "./RequestFollowing.ts"
import { check, flags, type Given, jsonOf, printableOutput } from "./RunFlags.ts"
import * as RunInput from "./RunInput.ts"
import * as RunProgress from "./RunProgress.ts"

const hasOutput = ({ outcome }: RetrievedRequest): boolean => outcome === "succeeded" || outcome === "partial"

/** How the chunks of the model's output add up. The submit reports a model that does not exist. */
const streamKind = (model: string) =>
  Platform.call((client, signal) => client.catalog.model(model, { signal })).pipe(
    Effect.map(({ stream }) => stream),
    Effect.catchIf(
      (error) => error instanceof CallError.CallError && !CallError.isTransient(error),
      () => Effect.succeed(null)
    )
  )

/** Ends a run in time. The interruption cancels the request. */
const within = <A, E, R>(effect: Effect.Effect<A, E, R>, timeout: Option.Option<number>) =>
  Option.match(timeout, {
    onNone: () => effect,
    onSome: (ms) =>
      Effect.timeoutOrElse(effect, {
        duration: ms,
        orElse: () =>
          Effect.fail(
            new CommandError({ message: `The request has not ended within ${Output.duration(ms)}` })
          )
      })
  })

const summary = ({ cost, id, inferenceTime, outcome }: RetrievedRequest): string =>
  Output.printable(`Request ${id}: ${outcome}, ${Output.milliseconds(inferenceTime)}, $${cost}`)

const failed = ({ error, id, outcome }: RetrievedRequest) =>
  new CommandError({
    message: Output.printable(
      `Request ${id} ended without an output: ${outcome}${error === null ? "" : `: ${error}`}`
    )
  })

/** Runs the request, prints its output, and returns it. */
const completed = Effect.fnUntraced(function* (
  given: Given,
  input: Readonly<Record<string, unknown>>,
  submit: ReturnType<typeof submitOptions>
) {
  const { events, model, timeout } = given
  const isSilent = jsonOf(given)
  const print = (text: string) => Console.error(text)
  const progress = yield* RunProgress.make(isSilent, print)
  const live = LiveOutput.make(isSilent ? null : yield* streamKind(model))
  const onEvent = Effect.fnUntraced(function* (event: OutputEvent) {
    if (events) return yield* Output.printJson(event)
    if (event.type === "chunk") yield* live.chunk(event.data, progress.end)
    if (event.type !== "restart") return
    yield* live.restart
    yield* progress.say("The run was lost. Its output begins again.")
  })
  const request = yield* within(RequestFollowing.follow({ model, input, submit, progress, onEvent }), timeout)
  yield* progress.end
  const isWritten = yield* live.end
  if (!isSilent && !isWritten && hasOutput(request)) yield* Console.log(printableOutput(request.output))
  return request
}, Effect.scoped)

const submitOptions = ({ idempotencyKey, metadata, webhook }: Given) => ({
  idempotencyKey: Option.getOrElse(idempotencyKey, () => crypto.randomUUID() as string),
  metadata: metadata.length === 0 ? undefined : Object.fromEntries(metadata),
  webhook: Option.getOrUndefined(webhook)
})

/** The input does not fit the model: a wrong use of the command. */
const asUsage = (error: CallError.CallError) =>
  error.cause instanceof InvalidInputError
    ? new UsageError({ message: error.message.replace(/^Refused with 400: /, "The input is not valid: ") })
    : error

export const run = Command.make(
  "run",
  flags,
  Effect.fnUntraced(
    function* (given) {
      const { model, noWait, out } = given
      yield* check(given)
      const directory = Option.getOrNull(out)
      if (directory !== null) yield* Target.makeFolder(directory)
      const isSilent = jsonOf(given)
      const input = yield* RunInput.make(model, [...given.input, ...given.fields], isSilent)
      const submit = submitOptions(given)
      if (noWait) {
        const created = yield* Platform.call((client, signal) =>
          client.submit(model, input, { ...submit, signal })
        )
        return yield* isSilent ? Output.printJson(created) : Console.log(Output.printable(created.request_id))
      }
      const request = yield* completed(given, input, submit)
      const files = directory === null ? [] : yield* OutputFiles.download(directory, request.media, isSilent)
      const data = { ...request, ...(directory !== null && { files }) }
      if (isSilent) yield* Output.printJson(given.events ? { type: "ended", data } : data)
      if (!hasOutput(request)) return yield* failed(request)
      if (!isSilent) yield* Console.error(summary(request))
    },
    Effect.catchTag("CallError", (error) => Effect.fail(asUsage(error)))
  )
).pipe(
  Command.provide((given) => Platform.layer(given)),
  Command.withDescription(
    "Run a model on a running server and print its output, live if the model makes it bit by bit. Ctrl-C cancels the " +
      "request. Exits with 0 if there is an output, with 1 if there is none, and with 2 if the input does not fit the model"
  ),
  Command.withShortDescription("Run a model"),
  Command.withExamples([
    { command: 'inferlog run sandbox/stream text="Once upon a time"' },
    { command: "inferlog run vision/resize image=@photo.jpg width=400 --out ./results" },
    { command: "inferlog run sandbox/echo --input @input.json --json --timeout 5m" },
    { command: "echo '{\"value\":1}' | inferlog run sandbox/echo --input @-" }
  ])
)
