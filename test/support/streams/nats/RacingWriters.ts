/** Writers on several nodes that race on a few streams and record what was acknowledged. */
import { assert } from "@effect/vitest"
import { Context, Effect, Stream } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as NatsLog from "./NatsLog.ts"

type Node = Context.Context<NatsLog.Log>

interface Acknowledged {
  readonly id: string
  readonly version: string
  readonly stream: string
}

const streamNames = ["a", "b", "c"].map((id) => StreamName.make("Raced", id))

export interface RacingWriters {
  readonly acknowledged: ReadonlyArray<Acknowledged>
  /** Each writer reads a stream and appends to it, until this many more of its events are acknowledged. */
  readonly write: (perWriter: number) => Effect.Effect<void>
  /** Expects every acknowledged event once, no duplicates and an intact log. Returns the ids on the log. */
  readonly check: (node: Node) => Effect.Effect<ReadonlyArray<string>, unknown>
}

export const make = (nodes: ReadonlyArray<Node>, writers: number): RacingWriters => {
  const acknowledged: Array<Acknowledged> = []
  let tries = 0

  const writeOne = Effect.fnUntraced(function* (store: EventStore["Service"], writer: number) {
    const stream = streamNames[tries++ % streamNames.length] ?? StreamName.make("Raced", "a")
    const id = `w${writer}-${tries}`
    const last = (yield* store.read(stream)).at(-1)
    const { version } = yield* store.append({
      stream,
      expected: ExpectedVersion.fromVersion(last?.version ?? null),
      events: [eventData(`${id}.0`), eventData(`${id}.1`)]
    })
    acknowledged.push({ id: `${id}.0`, version, stream }, { id: `${id}.1`, version, stream })
  })

  const writeAll = Effect.fnUntraced(function* (writer: number, count: number) {
    const node = nodes[writer % nodes.length]
    if (node === undefined) return
    const store = Context.get(node, EventStore)
    for (let done = 0; done < count;) {
      const isStored = yield* Effect.matchEager(writeOne(store, writer), {
        onFailure: () => false,
        onSuccess: () => true
      })
      if (isStored) done++
    }
  })

  return {
    acknowledged,
    write: (perWriter) =>
      Effect.forEach(
        Array.from({ length: writers }, (_, writer) => writer),
        (writer) => writeAll(writer, perWriter),
        { concurrency: "unbounded", discard: true }
      ),
    check: Effect.fnUntraced(function* (node) {
      yield* NatsLog.verify(node)
      const store = Context.get(node, EventStore)
      const events = yield* Stream.runCollect(store.readAll(GlobalPosition.beginning))
      const ids = events.map((event) => event.id)
      const versions = new Map(events.map(({ id, version }) => [id, version]))
      assert.strictEqual(new Set(ids).size, ids.length)
      for (const { id, version } of acknowledged) assert.strictEqual(versions.get(id), version)
      for (const stream of streamNames) {
        const read = yield* store.read(stream)
        const inLog = events.filter((event) => event.stream === stream)
        assert.deepStrictEqual(
          read.map(({ id }) => id),
          inLog.map(({ id }) => id)
        )
        assert.deepStrictEqual(
          read.map(({ ordinal }) => ordinal),
          read.map((_, index) => index)
        )
      }
      return ids
    })
  }
}

/** The ids of the first `count` events, read by a follower from the beginning of the log. */
export const followIds = (node: Node, count: number) =>
  Context.get(node, EventStore)
    .subscribe(GlobalPosition.beginning)
    .pipe(
      Stream.take(count),
      Stream.runCollect,
      Effect.map((events) => events.map((event) => event.id))
    )
