/** Reads requests from their own streams, so that a client sees its own changes at once. */
import { Clock, Context, Effect, Option } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { millisOf, type RequestId } from "#domain/Ids.ts"
import { History } from "#projections/history/History.ts"
import * as TokenUse from "#src/features/accounts/tokens/TokenUse.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import { Payloads, type Unreadable } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as FromHistory from "./FromHistory.ts"
import { RequestActors } from "./RequestActors.ts"
import { RequestChanges } from "./RequestChanges.ts"
import {
  RequestForbidden,
  RequestNotFound,
  type Requests,
  type Snapshot,
  type WantedPayloads
} from "./Requests.ts"
import * as SnapshotOf from "./Snapshot.ts"

/** Until this age a request may be missing on a server of the log, even after an election, ms. Ids have the time. */
const youngMs = 30_000

/** The pause between two reads of a young request. */
const lookInterval = "250 millis"

/** How often a young request that is not found is read again: a new replica of the log may be behind for a moment. */
export const SecondLooks = Context.Reference<number>("inferlog/src/features/requests/SecondLooks", {
  defaultValue: () => 0
})

const absent = Effect.succeed(null)

const unknownPayloads = Effect.fail(
  new EventStoreError({ reason: "The payloads of the request are unknown while the log cannot be read" })
)

/** The history does not have the token of a request. */
const submitterUnknown = Effect.fail(
  new EventStoreError({ reason: "The token of the request is unknown while the log cannot be read" })
)

export const make = Effect.gen(function* () {
  const secondLooks = yield* SecondLooks
  const actors = yield* RequestActors
  const changes = yield* RequestChanges
  const payloadRecords = yield* Payloads
  const history = yield* History

  const judge = (
    { caller, endpoint }: Parameters<Requests["Service"]["get"]>[0],
    snapshot: Snapshot | null
  ): Effect.Effect<Snapshot, RequestNotFound | RequestForbidden | EventStoreError> => {
    if (snapshot === null) return Effect.fail(new RequestNotFound())
    const { accountId, model, payloads, token: submittedBy } = snapshot.request.submitted
    const { token } = caller
    if (accountId !== caller.accountId || !Grant.allowsModel(caller.grant, model)) {
      return Effect.fail(new RequestForbidden())
    }
    if (token !== null && !TokenUse.allowsRequest(token, { id: snapshot.id, submittedBy })) {
      return payloads === undefined ? submitterUnknown : Effect.fail(new RequestForbidden())
    }
    if (endpoint !== undefined && endpoint !== model) return Effect.fail(new RequestNotFound())
    return Effect.succeed(snapshot)
  }

  const current = (id: RequestId): Effect.Effect<Snapshot | null, EventStoreError> =>
    Effect.map(actors.current(id), (current) => SnapshotOf.of(id, current))

  /** A request that the history does not know may still exist, so it is not reported as unknown. */
  const find = (id: RequestId): Effect.Effect<Snapshot | null, EventStoreError> =>
    current(id).pipe(
      Effect.catchTag("EventStoreError", (error) =>
        Effect.flatMap(Effect.option(history.find(id)), (found) =>
          Option.isSome(found) && found.value !== null
            ? Effect.succeed(FromHistory.snapshot(found.value))
            : Effect.fail(error)
        )
      )
    )

  /** Reads a request again that another node may just have accepted. */
  const search = (id: RequestId): Effect.Effect<Snapshot | null, EventStoreError> =>
    Effect.flatMap(find(id), (found) => {
      if (found !== null || secondLooks === 0) return Effect.succeed(found)
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Math.abs(now - millisOf(id)) > youngMs
          ? Effect.succeed(null)
          : Effect.repeat(Effect.delay(find(id), lookInterval), {
              times: secondLooks - 1,
              while: (found) => found === null
            })
      )
    })

  const get: Requests["Service"]["get"] = (options) => {
    const { id } = options
    const known = actors.peek(id)
    return known === undefined
      ? Effect.flatMap(search(id), (found) => judge(options, found))
      : judge(options, SnapshotOf.of(id, known))
  }

  const waitUntil: Requests["Service"]["waitUntil"] = (snapshot, until, timeoutMs) =>
    Effect.scoped(
      Effect.gen(function* () {
        const deadline = (yield* MonotonicTime.millis) + timeoutMs
        const changed = yield* changes.watch(snapshot.id)
        let newest = snapshot
        while (true) {
          const read = yield* Effect.catchTag(current(snapshot.id), "EventStoreError", () =>
            Effect.succeed(newest)
          )
          newest = read ?? newest
          const left = deadline - (yield* MonotonicTime.millis)
          if (left <= 0 || until(newest)) return newest
          yield* Effect.timeoutOption(changed, left)
        }
      })
    )

  const unlessErased = <A>(opened: Effect.Effect<A, Unreadable>): Effect.Effect<A | null, Unreadable> =>
    Effect.catchEager(opened, (error) =>
      error._tag === "PayloadUnavailable" && error.reason === "erased" ? absent : Effect.fail(error)
    )

  /** @param open reads one payload. */
  const read =
    <A>(open: (...one: Parameters<Payloads["Service"]["open"]>) => Effect.Effect<A, Unreadable>) =>
    (
      { id, request }: Snapshot,
      wanted: WantedPayloads = { input: true }
    ): Effect.Effect<{ readonly input: A | null; readonly output: A | null }, Unreadable> => {
      if (request.erasure !== null) return Effect.succeed({ input: null, output: null })
      const stream = StreamName.make(InferenceRequest.aggregate.category, id)
      const { payloads } = request.submitted
      // Reading again tells why: an archived segment may be missing.
      if (payloads === undefined) return Effect.andThen(current(id), unknownPayloads)
      const { output: result } = request
      const input = wanted.input ? unlessErased(open(stream, "input", payloads.input)) : absent
      const output = result === null ? absent : unlessErased(open(stream, result.name, result.ref))
      return Effect.flatMapEager(input, (input) => Effect.mapEager(output, (output) => ({ input, output })))
    }

  const payloads: Requests["Service"]["payloads"] = read((...one) =>
    Effect.map(payloadRecords.open(...one), JsonText.parse)
  )

  const payloadTexts: Requests["Service"]["payloadTexts"] = read(payloadRecords.openText)

  return { get, waitUntil, payloads, payloadTexts }
})
