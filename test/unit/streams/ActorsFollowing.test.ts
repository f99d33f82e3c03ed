/** Nodes that append to the same streams while each follows the log, at its own pace. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import type * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type * as StreamName from "#streams/StreamName.ts"
import * as Counter from "#test/support/streams/Counter.ts"
import { layer, logOf, node, type Store } from "#test/support/streams/CounterNodes.ts"
import * as Until from "#test/support/Until.ts"

describe("Nodes that follow each other", () => {
  it.live("agree with the log at rest, for any order of actions and observations", () =>
    Effect.gen(function* () {
      const reader = yield* EventReader
      const turns = (count: number) => Effect.repeat(Effect.yieldNow, { times: count })
      const lagging = (seed: number) => (store: Store) => ({
        append: (append: Parameters<Store["append"]>[0]) =>
          turns(seed % 5).pipe(Effect.andThen(store.append(append)), Effect.tap(turns((seed * 7) % 11))),
        read: (name: StreamName.StreamName, after?: ExpectedVersion.Version) =>
          Effect.tap(store.read(name, after), turns((seed * 3) % 7))
      })
      const nodes = yield* Effect.forEach([1, 2, 3], (seed) =>
        node({ startsOnObserve: seed > 1, capacity: 3 * seed }, lagging(seed))
      )
      const passed = nodes.map(() => GlobalPosition.beginning)
      yield* Effect.forEach(nodes, ({ actors }, index) =>
        reader.subscribe(GlobalPosition.beginning).pipe(
          Stream.runForEachArray((events) =>
            Effect.andThen(
              turns(index * 4),
              Effect.sync(() => {
                actors.observe(events)
                passed[index] = events[events.length - 1]?.position ?? GlobalPosition.beginning
              })
            )
          ),
          Effect.forkScoped
        )
      )
      const ids = ["a", "b", "c", "d", "e"]
      const act = (index: number) =>
        Effect.andThen(
          turns((index * 13) % 17),
          nodes[index % 3]?.actors.execute(ids[(index * 7) % 5] ?? "a", Counter.raise()) ?? Effect.void
        )
      yield* Effect.forEach(Array.from({ length: 300 }).keys(), act, { concurrency: 20 })
      const head = yield* reader.head
      yield* Until.holds(
        `nodes at ${head}`,
        () => passed.every((position) => GlobalPosition.isReached(head, position)),
        () => passed
      )
      for (const id of ids) {
        const total = (yield* logOf(id)).length
        for (const { actors } of nodes) {
          assert.strictEqual((yield* actors.current(id)).state.total, total)
          assert.strictEqual((yield* actors.current(id)).length, total)
        }
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
