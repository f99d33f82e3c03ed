/** A node whose client has a balance that the test chooses. */
import { Effect, Latch, Stream } from "effect"
import type { Command } from "#domain/account/Command.ts"
import { noLimits } from "#domain/account/Limits.ts"
import type { RequestId } from "#domain/Ids.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as Money from "#domain/Money.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import { atMost } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { BlobStore, type BlobStoreError } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { TestAccounts, usd } from "#test/support/TestAccounts.ts"
import { single, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { withSubscribe } from "#test/support/WithSubscribe.ts"

export const account = "acc_ten"
export const { accountId } = Facts.caller(account)

/** The hold and the cost of a request to `single`, USD. */
export const price = "0.001"

/** Holds for up to three units. */
export const upToThree = testModel("test/up-to-three", { quantities: () => atMost(Money.units(3)) })
const models = [single, upToThree]
export const options = { models, dispatches: false }
const layer = TestNode.layer(options)

/** Requests wait for ever, for an account with this balance in USD. */
export const withBalance = <A, E, R>(balance: string, body: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* (yield* TestAccounts).open(account, balance)
    return yield* body
  }).pipe(Effect.provide(layer))

/** Like `withBalance`, with `before` run before each text is written to the blob store. */
export const withBlobs = <A, E>(
  {
    balance = price,
    before
  }: { readonly balance?: string; readonly before: (key: string) => Effect.Effect<void, BlobStoreError> },
  body: Effect.Effect<A, E, TestNode.NodeServices | BlobStore>
) =>
  Effect.gen(function* () {
    yield* (yield* TestAccounts).open(account, balance)
    const blobs = yield* BlobStore
    const watched = BlobStore.of({
      ...blobs,
      put: (key, bytes) => Effect.andThen(before(key), blobs.put(key, bytes))
    })
    const starting = TestNode.start({ ...options, name: "node" })
    const node = yield* Effect.provideService(starting, BlobStore, watched)
    return yield* node.on(body)
  }).pipe(Effect.provide(TestNode.storeLayer))

/** A log whose followers stop while the gate is closed. */
export const lagging = (gate: Latch.Latch) =>
  Effect.map(EventReader, (reader) =>
    withSubscribe(reader, (after) =>
      Stream.mapEffect(reader.subscribe(after), (event) => Effect.as(gate.await, event))
    )
  )

/** Like `withBalance`, on a node whose followers of the log stop while the gate is closed. */
export const withLag = <A, E>(
  balance: string,
  body: (gate: Latch.Latch) => Effect.Effect<A, E, TestNode.NodeServices>
) =>
  Effect.gen(function* () {
    yield* (yield* TestAccounts).open(account, balance)
    const gate = yield* Latch.make(true)
    const starting = TestNode.start({ ...options, name: "node" })
    const node = yield* Effect.provideService(starting, EventReader, yield* lagging(gate))
    return yield* node.on(body(gate))
  }).pipe(Effect.provide(TestNode.storeLayer))

/** An input that is stored in the blob store. */
export const long = { value: "x".repeat(70_000) }

export const submit = (options: Parameters<typeof Facts.submission>[0] = {}) =>
  Effect.flatMap(Requests, (requests) => requests.submit(Facts.submission({ account, ...options })))

export const errorAnswer = (options?: Parameters<typeof submit>[0]) =>
  Effect.map(Effect.flip(submit(options)), ({ _tag }) => _tag)

export const keyed = (key: string) => ({ idempotency: { key, requestHash: "hash" } })

/** Waits until they have seen the whole log. */
export const funds = Effect.gen(function* () {
  const funds = yield* Funds
  yield* funds.caughtUp
  const { available, held, open } = funds.of(accountId)
  return { available: Money.format(available), held: Money.format(held), open }
})

export const accepted = Effect.gen(function* () {
  const { readAll } = yield* EventReader
  const all = yield* Stream.runCollect(readAll(GlobalPosition.beginning))
  return all.filter(({ type }) => type === "RequestSubmitted").length
})

const command = (command: Command) =>
  Effect.flatMap(AccountActors, (actors) => actors.execute(accountId, command))

export const topUp = (amount: string) =>
  command({ _tag: "TopUp", at: 0, amount: usd(amount), reference: "test", paymentId: null })

export const limit = (credit: string, maxOpenRequests: number | null) =>
  command({
    _tag: "ChangeLimits",
    at: 0,
    limits: { ...noLimits, creditLimit: usd(credit), maxOpenRequests }
  })

/** An event of a request, appended by any node. */
export const append = Effect.fnUntraced(function* (id: RequestId, event: Event) {
  const { category, codec } = InferenceRequest.aggregate
  yield* (yield* EventStore).append({
    stream: StreamName.make(category, id),
    expected: ExpectedVersion.Any,
    events: [{ id: `test-${id}`, ...codec.encode(event) }]
  })
})

export const cancelled: Event = { _tag: "RequestCancelled", at: 0, reason: "requested" }
