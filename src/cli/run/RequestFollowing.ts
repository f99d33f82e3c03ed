/** Runs a request to its end. An interruption cancels it. */
import { Console, Effect, Stream } from "effect"
import type { SubmitOptions } from "#clients/typescript/Submitting.ts"
import type { OutputEvent } from "#clients/typescript/OutputStream.ts"
import type { CreatedRequest } from "#clients/typescript/Wire.ts"
import * as CallError from "#src/cli/platform/CallError.ts"
import { call, Platform } from "#src/cli/platform/Platform.ts"
import * as Output from "#src/cli/Output.ts"
import type { RunProgress } from "./RunProgress.ts"

interface Options<R> {
  readonly model: string
  readonly input: Readonly<Record<string, unknown>>
  readonly submit: SubmitOptions & { readonly idempotencyKey: string }
  readonly progress: RunProgress
  /** The stream is not read while it runs. */
  readonly onEvent: (event: OutputEvent) => Effect.Effect<void, never, R>
}

/** What cancelling may take, ms. */
const patience = 10_000

/** A second Ctrl-C ends the process at once, because the first one already interrupts. */
const leavingAtOnce = Effect.acquireRelease(
  Effect.sync(() => {
    const leave = () => process.exit(130)
    process.on("SIGINT", leave)
    return leave
  }),
  (leave) => Effect.sync(() => process.off("SIGINT", leave))
)

export const follow = Effect.fnUntraced(function* <R>({
  input,
  model,
  onEvent,
  progress,
  submit
}: Options<R>) {
  const { connect, url } = yield* Platform
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const client = connect({ onWait: (text) => void runFork(progress.say(text)) })
  let created: CreatedRequest | undefined
  let hasEnded = false

  /** As far as possible. Until the id is known, the same submit tells it. */
  const abandon = Effect.gen(function* () {
    yield* leavingAtOnce
    yield* progress.end
    yield* Console.error("Cancelling the request. Ctrl-C again leaves at once.")
    const last = { timeout: patience }
    const cancelled = call(
      async (once) => {
        created ??= await once.submit(model, input, { ...submit, ...last })
        return once.cancel(created, last)
      },
      { retries: 0 }
    )
    const { request_id, status } = yield* cancelled
    const isRunning = status === "IN_QUEUE" || status === "IN_PROGRESS"
    yield* Console.error(
      Output.printable(
        isRunning
          ? `Request ${request_id} will be cancelled when its provider has stopped.`
          : `Request ${request_id} is ${status}.`
      )
    )
  }).pipe(
    Effect.catch(({ message }) =>
      Console.error(
        Output.printable(`${created?.request_id ?? "The request"} may still be running: ${message}`)
      )
    ),
    Effect.scoped
  )

  /** Statuses are only for the progress line, so their errors do not matter. */
  const watched = Effect.suspend(() =>
    created === undefined || !progress.isShown
      ? Effect.void
      : Stream.runForEach(Stream.fromAsyncIterable(client.subscribe(created), CallError.of(url)), (status) =>
          Effect.sync(() =>
            progress.see({
              status: status.status,
              progress: ("progress" in status ? status.progress : undefined) ?? null,
              waitingReason: ("waiting_reason" in status ? status.waiting_reason : undefined) ?? null
            })
          )
        ).pipe(Effect.ignore, Effect.forkScoped, Effect.asVoid)
  )

  const events = Stream.suspend(() =>
    Stream.fromAsyncIterable(client.stream(model, input, submit), CallError.of(url))
  )
  yield* Stream.runForEach(events, (event) =>
    Effect.gen(function* () {
      if (event.type === "request") {
        created = event.data
        yield* watched
      }
      if (event.type === "progress") progress.see(event.data)
      if (event.type === "done") hasEnded = true
      yield* onEvent(event)
    })
  ).pipe(Effect.onInterrupt(() => (hasEnded ? Effect.void : abandon)))
  // The first event was that of the request.
  const ref = created ?? ""
  return yield* call((client, signal) => client.wait(ref, { signal }))
})
