/** Several nodes over one log: each sees the others' appends without a read of the log. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer, References, Stream } from "effect"
import { TestClock } from "effect/testing"
import { keyOf } from "#domain/account/State.ts"
import type { RequestId } from "#domain/Ids.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as FollowedActors from "#src/composition/FollowedActors.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import { key, open } from "#test/support/src/features/accounts/AccountFacts.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single } from "#test/support/TestModels.ts"
import { withSubscribe } from "#test/support/WithSubscribe.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as Until from "#test/support/Until.ts"

/** A node that counts its reads of streams. */
const countedNode = Effect.fnUntraced(function* (name: string) {
  const store = yield* EventStore
  const read: Array<string> = []
  const counted = EventStore.of({
    ...store,
    read: (stream, after) => {
      read.push(stream)
      return store.read(stream, after)
    }
  })
  const starting = TestNode.start({ name, dispatches: false })
  return { node: yield* Effect.provideService(starting, EventStore, counted), read }
})

/** The state of the request on the node once it satisfies the condition, without a read. */
const untilSeen = (id: RequestId, phase: string) =>
  Effect.flatMap(RequestActors, (actors) =>
    Until.until(
      `${phase} of ${id}`,
      Effect.sync(() => actors.peek(id)?.state),
      (state) => state?._tag === "Request" && state.phase._tag === phase
    )
  )

const get = (id: RequestId) =>
  Effect.flatMap(Requests, (requests) => requests.get({ caller: Facts.caller(), id }))

const authenticate = (text: string) =>
  Effect.flatMap(Authentication, (authentication) =>
    Effect.result(authentication.authenticate(`Key ${text}`))
  )

describe("A node", () => {
  it.effect("answers for requests accepted and run by another node, without reading the log", () =>
    Effect.gen(function* () {
      const one = yield* countedNode("one")
      const other = yield* countedNode("other")
      const id = yield* one.node.on(Facts.submit())
      yield* other.node.on(untilSeen(id, "Queued"))
      yield* one.node.on(Lifecycle.start(id))
      yield* one.node.on(Lifecycle.deliver(id, { value: "out" }))
      yield* other.node.on(untilSeen(id, "Completed"))
      const { request, version } = yield* other.node.on(get(id))
      assert.strictEqual(request.phase._tag, "Completed")
      assert.deepStrictEqual(yield* one.node.on(get(id)), { id, request, version })
      assert.notInclude(other.read.join(), id)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("sees a cancel that was sent to another node", () =>
    Effect.gen(function* () {
      const one = yield* countedNode("one")
      const other = yield* countedNode("other")
      const id = yield* one.node.on(Facts.submit())
      yield* other.node.on(untilSeen(id, "Queued"))
      yield* other.node.on(Facts.cancel(id))
      yield* one.node.on(untilSeen(id, "Cancelled"))
      assert.notInclude(one.read.join(), id)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("rejects a key that another node has revoked", () =>
    Effect.gen(function* () {
      const one = yield* countedNode("one")
      const other = yield* countedNode("other")
      const { accountId } = yield* one.node.on(open(key("dev", "s3cret")))
      const issued = yield* one.node.on(
        Effect.flatMap(Accounts, (accounts) => accounts.issueKey({ accountId, name: "second" }))
      )
      const text = ApiKey.format(issued)
      assert.strictEqual((yield* other.node.on(authenticate(text)))._tag, "Success")
      yield* one.node.on(Effect.flatMap(Accounts, (accounts) => accounts.revokeKey(issued.keyId)))
      yield* Until.until("a refused key", other.node.on(authenticate(text)), ({ _tag }) => _tag === "Failure")
      // At most one read, by a caller that is faster than the subscription.
      assert.isAtMost(other.read.filter((stream) => stream.includes(accountId)).length, 1)
      assert.strictEqual((yield* other.node.on(authenticate("dev:s3cret")))._tag, "Success")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("misses no event that is appended while it starts or restarts following", () =>
    Effect.gen(function* () {
      const reader = yield* EventReader
      const first = yield* TestNode.start({ name: "first", dispatches: false })
      const { accountId } = yield* first.on(open(key("dev", "s3cret")))
      const following = yield* Latch.make(false)
      let tries = 0
      const slow = withSubscribe(reader, (after) =>
        ++tries === 1
          ? Stream.fail(new EventStoreError({ reason: "not yet" }))
          : Stream.unwrap(Effect.as(following.await, reader.subscribe(after)))
      )
      const actors = yield* Layer.build(FollowedActors.layer).pipe(
        Effect.provideService(EventReader, slow),
        Effect.provideService(References.MinimumLogLevel, "None"),
        Effect.provide([IdGenerator.layer, SteadyTime.layer])
      )
      yield* Effect.gen(function* () {
        const accounts = yield* AccountActors
        yield* accounts.current(accountId)
        yield* first.on(Effect.flatMap(Accounts, ({ revokeKey }) => revokeKey("dev")))
        yield* TestClock.adjust("1 second")
        yield* following.open
        yield* Until.until(
          "the revoked key",
          Effect.sync(() => accounts.peek(accountId)?.state),
          (state) => state !== undefined && keyOf(state, "dev")?.revokedAt !== null
        )
      }).pipe(Effect.provide(actors))
    }).pipe(Effect.scoped, Effect.provide(TestNode.storeLayer))
  )
})

describe("A caller that waits for a request", () => {
  it.effect("is woken by events from its own or another node, without reading the log", () =>
    Effect.gen(function* () {
      const one = yield* countedNode("one")
      const other = yield* countedNode("other")
      const id = yield* one.node.on(Facts.submit())
      const wait = Effect.gen(function* () {
        const requests = yield* Requests
        const before = yield* get(id)
        return yield* requests.waitUntil(before, ({ request }) => request.phase._tag === "Cancelled", 60_000)
      })
      yield* other.node.on(untilSeen(id, "Queued"))
      const cancelled = Effect.gen(function* () {
        const requests = yield* Requests
        yield* requests.cancel({ caller: Facts.caller(), id, endpoint: single.model.endpoint })
      })
      const [mine, theirs] = yield* Effect.all(
        [one.node.on(wait), other.node.on(wait), Effect.andThen(Effect.yieldNow, one.node.on(cancelled))],
        { concurrency: 3 }
      )
      assert.strictEqual(mine.request.phase._tag, "Cancelled")
      assert.strictEqual(theirs.request.phase._tag, "Cancelled")
      assert.notInclude([...one.read, ...other.read].join(), id)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
