/** Forwards events to the app in parallel, and retries rejected ones within limits, without delaying later events. */
import { Clock, Effect, FiberSet, Semaphore } from "effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as DeliveryIds from "#src/features/requests/DeliveryIds.ts"
import { MissingScopeError, UnauthorizedError } from "#clients/typescript/Errors.ts"
import type { UsageError } from "#src/cli/Failure.ts"
import type { CallError as Failed } from "#src/cli/platform/CallError.ts"
import type { Platform } from "#src/cli/platform/Platform.ts"
import type { Attempt } from "./Attempt.ts"
import type { SelectedEvent } from "./EventSelection.ts"
import * as Post from "./Post.ts"
import type { SigningKey } from "./SigningKey.ts"
import * as WebhookBody from "./WebhookBody.ts"

/** Parallel reads of bodies, and parallel POSTs. */
const concurrency = 8

/** Events that were not tried yet. At this limit, the stream is not read. */
const mostUntried = 64

/** Events that wait for a retry. Beyond this limit, a rejected event is not retried. */
const mostWaiting = 1_000
const mostWaitingBytes = 64 * 1024 * 1024

export interface Options {
  readonly url: string
  readonly key: SigningKey
  /** Pauses before each retry, ms. */
  readonly pauses: ReadonlyArray<number>
  readonly report: (attempt: Attempt) => Effect.Effect<void>
  /** Reports in one line an event that cannot be forwarded. */
  readonly say: (text: string) => Effect.Effect<void>
}

export interface Tally {
  readonly accepted: number
  readonly rejected: number
  /** Not tried yet, or waiting for a retry. */
  readonly open: number
}

interface Prepared {
  readonly selected: SelectedEvent
  readonly id: string
  readonly body: Uint8Array
}

type CallError = Failed | UsageError

/** The key is invalid or lacks a scope, so every further call fails too. */
const isOfTheKey = (error: CallError): boolean =>
  error._tag === "UsageError" ||
  error.cause instanceof UnauthorizedError ||
  error.cause instanceof MissingScopeError

/** Whether the app may have refused the signature. */
const mayBeUnverified = ({ status }: Post.Answered): boolean =>
  status === 400 || status === 401 || status === 403

export const make = Effect.fnUntraced(function* ({ key, pauses, report, say, url }: Options) {
  const fibers = yield* FiberSet.make<void, CallError>()
  const untried = yield* Semaphore.make(mostUntried)
  const reading = yield* Semaphore.make(concurrency)
  const posting = yield* Semaphore.make(concurrency)
  let tally: Tally = { accepted: 0, rejected: 0, open: 0 }
  let waiting = { count: 0, bytes: 0 }

  const settle = (end: "accepted" | "rejected") =>
    Effect.sync(() => {
      tally = { ...tally, [end]: tally[end] + 1, open: tally.open - 1 }
    })

  /** The pause before the next try, ms. `null` after the last try, after a 410, and when too many events wait. */
  const pauseAfter = ({ body }: Prepared, attempt: number, { error, status }: Post.Answered) => {
    const isFull = waiting.count >= mostWaiting || waiting.bytes + body.length > mostWaitingBytes
    return error === null || status === 410 || isFull ? null : (pauses[attempt - 1] ?? null)
  }

  const waitFor = (millis: number, { body }: Prepared) =>
    Effect.acquireUseRelease(
      Effect.sync(() => (waiting = { count: waiting.count + 1, bytes: waiting.bytes + body.length })),
      () => Effect.sleep(millis),
      () => Effect.sync(() => (waiting = { count: waiting.count - 1, bytes: waiting.bytes - body.length }))
    )

  const send = Effect.fnUntraced(function* (
    prepared: Prepared,
    attempt: number
  ): Effect.fn.Return<void, CallError, Platform | HttpClient> {
    const { body, selected, id } = prepared
    const answered = yield* posting.withPermit(
      Effect.flatMap(key.current, (current) => Post.post({ url, id, body, key: current }))
    )
    if (mayBeUnverified(answered)) yield* key.expire
    const retryInMs = pauseAfter(prepared, attempt, answered)
    const at = yield* Clock.currentTimeMillis
    yield* report({ ...selected, ...answered, at, webhookId: id, attempt, retryInMs })
    if (retryInMs === null) return yield* settle(answered.error === null ? "accepted" : "rejected")
    yield* FiberSet.run(fibers, Effect.andThen(waitFor(retryInMs, prepared), send(prepared, attempt + 1)))
  })

  const bodyOf = (selected: SelectedEvent) =>
    Effect.map(reading.withPermit(WebhookBody.of(selected)), Buffer.from)

  const forward = Effect.fnUntraced(function* (selected: SelectedEvent) {
    const body = yield* bodyOf(selected)
    yield* send({ selected, id: DeliveryIds.of(selected.requestId, selected.event), body }, 1)
  })

  const skip = ({ event, requestId }: SelectedEvent, error: CallError) =>
    isOfTheKey(error)
      ? Effect.fail(error)
      : Effect.andThen(
          settle("rejected"),
          say(`${event} of ${requestId} cannot be forwarded: ${error.message}`)
        )

  return {
    /** Returns when there is room for the event. */
    offer: Effect.fnUntraced(function* (selected: SelectedEvent) {
      yield* untried.take(1)
      tally = { ...tally, open: tally.open + 1 }
      yield* FiberSet.run(
        fibers,
        forward(selected).pipe(
          Effect.catch((error) => skip(selected, error)),
          Effect.ensuring(untried.release(1))
        )
      )
    }),
    /** Fails when the key is refused. */
    refused: Effect.andThen(FiberSet.join(fibers), Effect.never),
    /** Returns when no offered event waits. */
    settled: FiberSet.awaitEmpty(fibers),
    tally: (): Tally => tally
  }
})
