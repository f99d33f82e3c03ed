/** Submits requests, waits for events on their streams, and corrupts them. */
import { Effect, Stream } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import { AccountId, KeyId, type RequestId } from "#domain/Ids.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { BuiltinModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { Requests, type Submission } from "#src/features/requests/Requests.ts"
import * as Snapshot from "#src/features/requests/Snapshot.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Callers from "./Callers.ts"
import { eventData } from "./EventFixtures.ts"
import { single } from "./TestModels.ts"
import * as Until from "./Until.ts"

export const caller = (name = "acc_default"): Caller =>
  Callers.of(AccountId.make(name), KeyId.make(`key of ${name}`))

export const submission = ({
  model = single,
  account,
  input = { value: "in" },
  ...rest
}: {
  readonly model?: BuiltinModel
  readonly account?: string
  readonly input?: Json
} & Partial<Submission> = {}): Submission => ({
  caller: caller(account),
  endpoint: model.model.endpoint,
  input,
  metadata: {},
  webhook: null,
  deadlines: { startTimeoutMs: null, cancelAfterMs: null },
  idempotency: null,
  ...rest
})

export const submit = Effect.fnUntraced(function* (options?: Parameters<typeof submission>[0]) {
  const requests = yield* Requests
  const { id } = yield* requests.submit(submission(options))
  return id
})

export const cancel = Effect.fnUntraced(function* (id: RequestId, model: BuiltinModel = single) {
  const requests = yield* Requests
  return yield* requests.cancel({ caller: caller(), id, endpoint: model.model.endpoint })
})

/** The request as its client sees it, with everything that is on the log by now. */
export const snapshot = Effect.fnUntraced(function* (id: RequestId, account?: string) {
  const requests = yield* Requests
  const current = yield* (yield* RequestActors).refresh(id)
  yield* requests.get({ caller: caller(account), id })
  return yield* Effect.fromNullishOr(Snapshot.of(id, current))
})

const { category, codec } = InferenceRequest.aggregate

/** Appends an event that this release cannot read, so that the request becomes unreadable. */
export const makeUnreadable = Effect.fnUntraced(function* (id: RequestId) {
  yield* (yield* EventStore).append({
    stream: StreamName.make(category, id),
    expected: ExpectedVersion.Any,
    events: [{ ...eventData("future", "RequestTeleported"), time: 0 }]
  })
})

/** The request's events so far. */
export const events = Effect.fnUntraced(function* (id: RequestId) {
  const reader = yield* EventReader
  return (yield* reader.read(StreamName.make(category, id))).map(codec.decode)
})

export const types = (id: RequestId) => Effect.map(events(id), (all) => all.map(({ _tag }) => _tag))

/** Waits until the request's events satisfy the condition, and returns them. */
export const until = Effect.fnUntraced(function* (
  id: RequestId,
  isSo: (events: ReadonlyArray<Event>) => boolean
) {
  const reader = yield* EventReader
  return yield* Until.first(
    `events of ${id}`,
    Stream.mapEffect(reader.changes, () => events(id)),
    isSo
  )
})

type Tagged<Tag extends Event["_tag"]> = Extract<Event, { readonly _tag: Tag }>

export const ofType = <Tag extends Event["_tag"]>(all: ReadonlyArray<Event>, tag: Tag) =>
  all.filter((event): event is Tagged<Tag> => event._tag === tag)

/** Waits for the `count`th event of the type and returns it. */
export const untilType = <Tag extends Event["_tag"]>(id: RequestId, tag: Tag, count = 1) =>
  Effect.flatMap(
    until(id, (all) => ofType(all, tag).length >= count),
    (all) => Effect.fromNullishOr(ofType(all, tag)[count - 1])
  )

const ends: ReadonlySet<string> = new Set([
  "RequestCompleted",
  "RequestFailed",
  "RequestForceFailed",
  "RequestCancelled"
])

export const terminal = (all: ReadonlyArray<Event>) => all.filter(({ _tag }) => ends.has(_tag))

/** Waits until the request has ended and returns all its events. */
export const untilEnd = (id: RequestId) => until(id, (all) => terminal(all).length > 0)
