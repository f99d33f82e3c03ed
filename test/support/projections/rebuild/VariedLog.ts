/** A log with everything that can happen to requests, deliveries, files, accounts and the catalog, by a seed. */
import { Effect } from "effect"
import * as fc from "fast-check"
import type { DomainEvent, EventCodec } from "#domain/EventCodec.ts"
import { aggregate as Account } from "#domain/account/Account.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import { aggregate as InferenceRequest } from "#domain/inference-request/InferenceRequest.ts"
import { KeyId } from "#domain/Ids.ts"
import { aggregate as OperatorAction } from "#domain/operator-action/OperatorAction.ts"
import { aggregate as Operator } from "#domain/operator/Operator.ts"
import { aggregate as WebhookDelivery } from "#domain/webhook-delivery/WebhookDelivery.ts"
import { aggregate as WorkerKey } from "#domain/worker-key/WorkerKey.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as RequestLives from "#test/support/domain/inference-request/Lives.ts"
import * as DeliveryLives from "#test/support/domain/webhook-delivery/Lives.ts"
import * as CatalogLog from "#test/support/projections/catalog/CatalogLog.ts"
import * as FileLives from "#test/support/projections/files/LivedFiles.ts"
import * as Deliveries from "#test/support/projections/deliveries/DeliveryLog.ts"
import * as AccountLog from "#test/support/projections/ledger/AccountLog.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

let written = 0

const write = Effect.fnUntraced(function* <Event extends DomainEvent>(
  stream: StreamName.StreamName,
  codec: EventCodec<Event>,
  events: ReadonlyArray<Event>
) {
  const [first, ...others] = events.map((event) => ({ id: `varied-${written++}`, ...codec.encode(event) }))
  if (first === undefined) return
  const store = yield* EventStore
  yield* store.append({ stream, expected: ExpectedVersion.Any, events: [first, ...others] })
})

const accounts = Effect.gen(function* () {
  for (const accountId of [Log.alice, Log.bob, Log.carol]) {
    const stream = StreamName.make(Account.category, accountId)
    const keyId = KeyId.make(`key_${accountId}`)
    const secretHash = "0".repeat(64)
    yield* write(stream, Account.codec, [
      { _tag: "AccountOpened", at: Log.t0, accountId, name: accountId },
      { _tag: "KeyIssued", at: Log.t0, keyId, name: "first", secretHash }
    ])
    yield* AccountLog.topUp(accountId, "7.5")
    yield* AccountLog.limit(accountId, "1", 5)
  }
  const gone = StreamName.make(Account.category, Log.carol)
  yield* write(gone, Account.codec, [{ _tag: "AccountErased", at: Log.t0 + 1 }])
})

/** A valid key and a revoked one. */
const workerKeys = Effect.gen(function* () {
  const key = { name: "gpu-box", secretHash: "0".repeat(64), modelEndpoints: null, expiresAt: null }
  const issued = { _tag: "WorkerKeyIssued", at: Log.t0, ...key } as const
  const rotated = { at: Log.t0, secretHash: "1".repeat(64), previousExpiresAt: Log.t0 }
  yield* write(StreamName.make(WorkerKey.category, "worker_1"), WorkerKey.codec, [issued])
  yield* write(StreamName.make(WorkerKey.category, "worker_2"), WorkerKey.codec, [
    issued,
    { _tag: "WorkerKeyRotated", ...rotated },
    { _tag: "WorkerKeyRevoked", at: Log.t0 + 1 }
  ])
})

/** An operator, and an action that has ended. */
const operators = Effect.gen(function* () {
  const operator = { name: "ada", role: "owner" } as const
  yield* write(StreamName.make(Operator.category, "op_1"), Operator.codec, [
    {
      _tag: "OperatorCreated",
      at: Log.t0,
      ...operator,
      secretHash: "0".repeat(64),
      expiresAt: Log.t0 + 1
    },
    { _tag: "OperatorKeyRotated", at: Log.t0, secretHash: "1".repeat(64), expiresAt: null },
    { _tag: "OperatorRevoked", at: Log.t0 + 1 }
  ])
  yield* write(StreamName.make(OperatorAction.category, "act_1"), OperatorAction.codec, [
    {
      _tag: "OperatorActionStarted",
      at: Log.t0,
      operatorId: "op_1",
      operatorName: operator.name,
      role: operator.role,
      action: "issueKey",
      targets: { accountId: Log.alice },
      callId: "call_1"
    },
    { _tag: "OperatorActionEnded", at: Log.t0 + 1, result: "done", code: null, made: {} }
  ])
})

/** What the random lives lack: owed webhooks, files outside the log, and a recovery in progress. */
const others = Effect.gen(function* () {
  const webhook = { url: "https://one.example/hooks", events: ["completed"], filtered: false } as const
  yield* Log.append(1_000_000, { ...Log.submitted(Log.bob, Log.slow), webhook })
  yield* Log.append(1_000_000, Log.dispatched(1), Log.started(1), Log.completed(1))
  yield* Log.append(1_000_001, Log.submitted(Log.bob, Log.slow), Log.dispatched(1), Log.started(1))
  const erased: Event = {
    _tag: "PayloadsErased",
    at: Log.t0,
    reason: "requested",
    erased: [],
    hasFiles: true
  }
  yield* Log.append(1_000_001, Log.completed(1), erased)
  yield* Deliveries.recovery("recovery-1", {
    _tag: "RecoveryRequested",
    at: Log.t0,
    accountId: Log.alice,
    since: Log.t0,
    until: Log.t0 + 1
  })
})

/** `count` of each kind, numbered from `first`. */
export const append = Effect.fnUntraced(function* (seed: number, { count = 10, first = 0 } = {}) {
  const sampled = <A>(arbitrary: fc.Arbitrary<A>) => fc.sample(arbitrary, { numRuns: count, seed })
  if (first === 0) yield* Effect.all([accounts, workerKeys, operators, others, CatalogLog.lived])
  for (const [index, life] of sampled(RequestLives.life).entries()) {
    const stream = StreamName.make(InferenceRequest.category, Log.requestId(first + index))
    yield* write(stream, InferenceRequest.codec, RequestLives.play(life).log)
  }
  const deliveries = sampled(fc.constantFrom(...DeliveryLives.someLives()))
  for (const [index, life] of deliveries.entries()) {
    const stream = StreamName.make(WebhookDelivery.category, Deliveries.deliveryId(first + index))
    yield* write(stream, WebhookDelivery.codec, DeliveryLives.play(life).log)
  }
  yield* FileLives.write(sampled(FileLives.files).flat().slice(0, count), first)
})
