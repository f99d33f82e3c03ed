/** Reading requests: from their own stream, so that a client sees what it has been told at once. */
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { State } from "#domain/inference-request/State.ts"
import type { PayloadRef } from "#domain/PayloadRef.ts"
import type { Current } from "#streams/Actors.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as MonotonicTime from "#src/MonotonicTime.ts"
import { RequestActors } from "./RequestActors.ts"
import { RequestChanges } from "./RequestChanges.ts"
import { RequestForbidden, RequestNotFound, type Requests, type Snapshot } from "./Requests.ts"
import * as SnapshotOf from "./Snapshot.ts"

export const make = Effect.gen(function* () {
  const actors = yield* RequestActors
  const changes = yield* RequestChanges
  const payloadRecords = yield* Payloads

  const judge = (
    { caller, endpoint, id }: Parameters<Requests["Service"]["get"]>[0],
    current: Current<State>
  ): Effect.Effect<Snapshot, RequestNotFound | RequestForbidden> => {
    const snapshot = SnapshotOf.of(id, current)
    if (snapshot === null) return Effect.fail(new RequestNotFound())
    const { accountId, model } = snapshot.request.submitted
    if (accountId !== caller.accountId) return Effect.fail(new RequestForbidden())
    if (endpoint !== undefined && endpoint !== model) return Effect.fail(new RequestNotFound())
    return Effect.succeed(snapshot)
  }

  const get: Requests["Service"]["get"] = (options) =>
    Effect.suspend(() => {
      const known = actors.peek(options.id)
      return known === undefined
        ? Effect.flatMap(actors.current(options.id), (current) => judge(options, current))
        : judge(options, known)
    })

  const waitUntil: Requests["Service"]["waitUntil"] = (snapshot, until, timeoutMs) =>
    Effect.scoped(
      Effect.gen(function* () {
        const deadline = (yield* MonotonicTime.millis) + timeoutMs
        const changed = yield* changes.watch(snapshot.id)
        let newest = snapshot
        while (true) {
          newest = SnapshotOf.of(snapshot.id, yield* actors.current(snapshot.id)) ?? newest
          const left = deadline - (yield* MonotonicTime.millis)
          if (left <= 0 || until(newest)) return newest
          yield* Effect.timeoutOption(changed, left)
        }
      })
    )

  const open = Effect.fnUntraced(function* (
    stream: StreamName.StreamName,
    name: string,
    ref: PayloadRef | null
  ) {
    if (ref === null) return null
    return yield* payloadRecords.open(stream, name, ref).pipe(
      Effect.map((text) => JSON.parse(text) as Json),
      Effect.catchIf(
        (error) => error._tag === "PayloadUnavailable" && error.reason === "erased",
        () => Effect.succeed(null)
      )
    )
  })

  const payloads: Requests["Service"]["payloads"] = Effect.fnUntraced(function* ({ id, request }) {
    if (request.erasure !== null) return { input: null, output: null }
    const stream = StreamName.make(InferenceRequest.aggregate.category, id)
    return {
      input: yield* open(stream, "input", request.submitted.payloads.input),
      output: yield* open(stream, request.output?.name ?? "output", request.output?.ref ?? null)
    }
  })

  return { get, waitUntil, payloads }
})
