/** Group commit, and the effect of a failed write on later ones. */
import * as fs from "node:fs"
import { once } from "node:events"
import { MessageChannel } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as EventChain from "#streams/EventChain.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import type { Append } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import * as Database from "#streams/sqlite/Database.ts"
import type { Head } from "#streams/LogHead.ts"
import * as Reads from "#streams/sqlite/Reads.ts"
import * as LogSchema from "#streams/sqlite/Schema.ts"
import * as Committing from "#streams/sqlite/thread/Committing.ts"
import type { FromThread, ToThread } from "#streams/sqlite/thread/Protocol.ts"
import * as Writer from "#streams/sqlite/Writer.ts"
import * as WriterThread from "#streams/sqlite/WriterThread.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData, inlinePayload } from "#test/support/EventFixtures.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const origin: Head = { sequence: 0, digest: EventChain.origin }

/** Runs the thread's code in this thread, with the same messages, so that a test can access its connection. */
const open =
  (options: Omit<Committing.Options, "send">): WriterThread.Open =>
  ({ onMessage }) => {
    const { port1, port2 } = new MessageChannel()
    const ended = once(port1, "close")
    const handle = Committing.make({
      ...options,
      send: (message) => port2.postMessage(message)
    })
    port1.on("message", (message: FromThread) => onMessage(message))
    port2.on("message", (message: ToThread) => {
      handle(message)
      if (message._tag === "Close") port2.close()
    })
    return {
      post: (message) => port1.postMessage(message),
      isUsed: () => true,
      close: (done) => {
        void ended.then(done)
        port1.postMessage({ _tag: "Close" } satisfies ToThread)
      }
    }
  }

/** A writer over a log, empty by default, with the commits that it reported. */
const make = Effect.fnUntraced(function* (
  onCommit: () => void = () => {},
  directory?: string,
  gatherMs?: number
) {
  const filename = `${directory ?? (yield* TempDirectory.make)}/log.sqlite`
  const db = Database.open({ filename, synchronous: "FULL" })
  yield* Effect.addFinalizer(() => Effect.sync(() => db.isOpen && db.close()))
  LogSchema.prepare(db)
  const reads = Reads.make(db)
  const commits: Array<{ readonly size: number; readonly head: Head }> = []
  const failures: Array<EventStoreError> = []
  const writer = Writer.make({
    open: open({
      db,
      filename,
      head: { ...origin, sequence: reads.head() },
      logHead: { write: onCommit, isDirty: () => false, sync: async () => {}, close: () => {} },
      isTruncationOwed: true
    }),
    onCommit: (events, head) => commits.push({ size: events.length, head }),
    onSettled: () => {},
    onFailure: (error) => failures.push(error),
    ...(gatherMs !== undefined && { gatherMs })
  })
  yield* Effect.addFinalizer(() => writer.close)
  return { db, reads, writer, commits, failures, wal: `${filename}-wal` }
})

const to = (id: string, data: JsonObject = {}, payloads: ReadonlyArray<SealedPayload> = []): Append => ({
  stream: StreamName.make("Thing", id),
  expected: ExpectedVersion.Any,
  events: [eventData("e", "Happened", data)],
  payloads
})

const together = ({ append }: Writer.Writer, appends: ReadonlyArray<Append>) =>
  Effect.forEach(appends, (one) => Effect.exit(append(one)), { concurrency: "unbounded" })

const input = inlinePayload("input", "1")

const first = (id: string): Append => ({ ...to(id, {}, [input]), expected: ExpectedVersion.NoStream })

/** Transactions in a WAL file that was never reset: frames with the size of the database after them. */
const commitsIn = (wal: string): number => {
  const bytes = fs.readFileSync(wal)
  const frameBytes = 24 + bytes.readUInt32BE(8)
  let commits = 0
  for (let frame = 32; frame + frameBytes <= bytes.length; frame += frameBytes) {
    if (bytes.readUInt32BE(frame + 4) > 0) commits++
  }
  return commits
}

const digestOf = (reads: Reads.Reads) =>
  reads.hashes(0).reduce((digest, { hash }) => EventChain.digest(digest, hash), EventChain.origin)

describe("The writer of the log", () => {
  it.live("commits appends that arrive together in one transaction", () =>
    Effect.gen(function* () {
      const { writer, commits, wal } = yield* make()
      const before = commitsIn(wal)
      const exits = yield* together(
        writer,
        Array.from({ length: 1_000 }, (_, index) => to(`s${index % 50}`))
      )
      assert.isTrue(exits.every(Exit.isSuccess))
      assert.strictEqual(
        commits.reduce((sum, { size }) => sum + size, 0),
        1_000
      )
      assert.isAtMost(commits.length, 50)
      assert.strictEqual(commitsIn(wal) - before, commits.length)
    })
  )

  it.live("waits until a batch is as large as the last one, whose callers may soon have more", () =>
    Effect.gen(function* () {
      const { commits, writer } = yield* make(() => {}, undefined, 60_000)
      yield* together(writer, [to("a"), to("b"), to("c")])
      const first = yield* Effect.forkChild(writer.append(to("d")), { startImmediately: true })
      // The callers of one batch do not come back in the same turn of the event loop.
      yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
      yield* together(writer, [to("e"), to("f")])
      yield* Fiber.join(first)
      assert.deepStrictEqual(
        commits.map(({ size }) => size),
        [3, 3]
      )
    })
  )

  it.live("commits a batch that stays smaller than the last one", () =>
    Effect.gen(function* () {
      const { commits, writer } = yield* make()
      yield* together(writer, [to("a"), to("b"), to("c")])
      yield* writer.append(to("d"))
      yield* writer.append(to("e"))
      assert.deepStrictEqual(
        commits.map(({ size }) => size),
        [3, 1, 1]
      )
    })
  )

  it.live("gives each append of a batch its own position, and publishes the head after the batch", () =>
    Effect.gen(function* () {
      const { writer, commits, reads } = yield* make()
      const exits = yield* together(writer, [to("a"), to("b"), to("a")])
      assert.deepStrictEqual(
        exits.map((exit) => (Exit.isSuccess(exit) ? `${exit.value.position} ${exit.value.version}` : exit)),
        ["1 0", "2 0", "3 1"]
      )
      assert.deepStrictEqual(commits, [{ size: 3, head: { sequence: 3, digest: digestOf(reads) } }])
    })
  )

  it.live("commits the rest of a batch if one append is invalid", () =>
    Effect.gen(function* () {
      const { writer, reads } = yield* make()
      yield* writer.append(to("poisoned", {}, [input]))
      const exits = yield* together(writer, [
        to("a", {}, [input]),
        to("poisoned", {}, [input]),
        to("b", {}, [input]),
        to("a")
      ])
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true, true])
      assert.strictEqual(reads.head(), 4)
      assert.strictEqual(reads.stream("Thing-poisoned", -1).length, 1)
      assert.deepStrictEqual(
        reads.page(0).map(({ position }) => position),
        ["1", "2", "3", "4"]
      )
      yield* writer.append(to("poisoned"))
      assert.strictEqual(reads.head(), 5)
    })
  )

  it.live("fails only the append that conflicts with another process, and commits the others", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      yield* Effect.scoped(
        Effect.flatMap(make(undefined, directory), ({ writer }) => together(writer, [to("taken"), to("too")]))
      )
      const { commits, reads, writer } = yield* make(undefined, directory)
      const exits = yield* together(writer, ["a", "taken", "b", "too", "b"].map(first))
      assert.deepStrictEqual<ReadonlyArray<string | undefined>>(
        exits.map((exit) =>
          Exit.isSuccess(exit) ? exit.value.position : Option.getOrUndefined(Exit.findErrorOption(exit))?._tag
        ),
        ["3", "WrongExpectedVersion", "4", "WrongExpectedVersion", "WrongExpectedVersion"]
      )
      assert.deepStrictEqual(
        commits.map(({ size }) => size),
        [2]
      )
      assert.lengthOf(reads.stream("Thing-taken", -1), 1)
    })
  )

  it.live("handles a batch with more streams than fit in memory", () =>
    Effect.gen(function* () {
      const { commits, reads, writer } = yield* make()
      const others = Array.from({ length: 20_001 }, (_, index) => first(`s${index}`))
      const exits = yield* together(writer, [
        first("early"),
        to("soon"),
        ...others,
        to("soon"),
        first("early")
      ])
      const again = exits.pop()
      assert.isTrue(exits.every(Exit.isSuccess))
      assert.isTrue(again !== undefined && Exit.isFailure(again))
      assert.deepStrictEqual(
        commits.map(({ size }) => size),
        [20_004]
      )
      const [one, two] = reads.stream("Thing-soon", -1)
      assert.strictEqual(two?.hash, two && EventChain.hash(one?.hash ?? "", two))
    })
  )

  it.live("acknowledges nothing on a full disk, and continues when there is room again", () =>
    Effect.gen(function* () {
      const { db, writer, reads, commits } = yield* make()
      yield* writer.append(to("a"))
      const pages = Number(Object.values(db.prepare("PRAGMA page_count").get() ?? {})[0])
      db.exec(`PRAGMA max_page_count = ${pages + 2}`)
      const large = { text: "x".repeat(100_000) }
      for (const exit of yield* together(writer, [to("b"), to("a", large), to("c")])) {
        const error = Exit.isFailure(exit) ? yield* Effect.flip(exit) : null
        assert.instanceOf(error, EventStoreError)
        assert.strictEqual(error?.message, "The disk is full")
      }
      assert.strictEqual(reads.head(), 1)
      assert.strictEqual(commits.length, 1)
      yield* writer.append(to("small"))
      db.exec("PRAGMA max_page_count = 1000000")
      yield* together(writer, [to("b"), to("a", large)])
      assert.deepStrictEqual(commits.at(-1)?.head, { sequence: 4, digest: digestOf(reads) })
      assert.deepStrictEqual(
        reads.page(0).map(({ stream, ordinal }) => `${stream} ${ordinal}`),
        ["Thing-a 0", "Thing-small 0", "Thing-b 0", "Thing-a 1"]
      )
    })
  )

  it.live("rejects every further append after a failure with an unknown result on disk", () =>
    Effect.gen(function* () {
      const { db, writer, failures } = yield* make()
      yield* writer.append(to("a"))
      db.close()
      const failed = yield* Effect.flip(writer.append(to("a")))
      assert.instanceOf(failed, EventStoreError)
      assert.match(failed.message, /takes no more appends until it is opened again/)
      assert.match((yield* Effect.flip(writer.append(to("a")))).message, /takes no more appends/)
      assert.deepStrictEqual(failures, [failed])
    })
  )

  it.live("rejects every further append after a checkpoint with an unknown result on disk", () =>
    Effect.gen(function* () {
      const { db, writer, failures } = yield* make()
      yield* writer.append({ ...to("a"), erases: [] })
      db.close()
      writer.settle()
      assert.match((yield* Effect.flip(writer.append(to("a")))).message, /takes no more appends/)
      writer.settle()
      assert.lengthOf(failures, 1)
    })
  )

  it.live("does not acknowledge a commit that log.head cannot record, nor any after it", () =>
    Effect.gen(function* () {
      let isBroken = false
      const { writer, commits } = yield* make(() => {
        if (isBroken) throw new Error("log.head cannot be written")
      })
      yield* writer.append(to("a"))
      isBroken = true
      assert.instanceOf(yield* Effect.flip(writer.append(to("b"))), EventStoreError)
      isBroken = false
      assert.instanceOf(yield* Effect.flip(writer.append(to("c"))), EventStoreError)
      assert.strictEqual(commits.length, 1)
    })
  )

  it.live("commits waiting appends when it is closed, and accepts no more", () =>
    Effect.gen(function* () {
      const { writer, reads } = yield* make()
      const waiting = yield* Effect.forkChild(writer.append(to("a")), { startImmediately: true })
      yield* writer.close
      assert.strictEqual(reads.head(), 1)
      assert.strictEqual((yield* Fiber.join(waiting)).position, "1")
      assert.strictEqual((yield* Effect.flip(writer.append(to("a")))).message, "The log is closed")
    })
  )

  it.live("rejects every append after the end of its thread", () =>
    Effect.gen(function* () {
      const missing = `${yield* TempDirectory.make}/missing`
      const failures: Array<EventStoreError> = []
      const writer = Writer.make({
        open: WriterThread.open({
          filename: `${missing}/log.sqlite`,
          headFilename: `${missing}/log.head`,
          head: origin,
          isTruncationOwed: false
        }),
        onCommit: () => assert.fail("nothing can be committed"),
        onSettled: () => {},
        onFailure: (error) => failures.push(error)
      })
      const failed = yield* Effect.flip(writer.append(to("a")))
      assert.match(failed.message, /writing thread ended/)
      assert.strictEqual(yield* Effect.flip(writer.append(to("a"))), failed)
      assert.deepStrictEqual(failures, [failed])
      yield* writer.close
    })
  )
})
