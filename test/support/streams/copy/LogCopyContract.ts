/** The contract of a copy between every pair of backends. Run by a test file for each pair. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, type Scope } from "effect"
import type { BlobStore } from "#streams/BlobStore.ts"
import * as CopiedPayloads from "#streams/copy/CopiedPayloads.ts"
import * as LogCopy from "#streams/copy/LogCopy.ts"
import type { CopiedEvent, LogTarget } from "#streams/copy/LogTarget.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as CopiedLogs from "./CopiedLogs.ts"

/** Copies the first `count` events, as a copy that is killed then. */
const copyFirst = Effect.fnUntraced(function* (source: CopiedLogs.Source, target: LogTarget, count: number) {
  const events = (yield* CopiedLogs.events(source.reading)).slice(0, count)
  yield* target.append(yield* CopiedPayloads.read(source.reading, events))
})

/** An event that the source does not have. */
const stranger: CopiedEvent = {
  event: new RecordedEvent({
    ...eventData("other"),
    position: GlobalPosition.beginning,
    stream: DataDirectory.stream("stranger"),
    ordinal: 0,
    version: trustedVersion("0"),
    text: "{}",
    hash: ""
  }),
  payloads: []
}

export const logCopyContract = (from: CopiedLogs.Backend, to: CopiedLogs.Backend): void => {
  type Body = (
    source: CopiedLogs.Source,
    target: LogTarget
  ) => Effect.Effect<void, unknown, BlobStore | Scope.Scope>

  const test = (name: string, body: Body) =>
    it.live(name, () =>
      Effect.gen(function* () {
        yield* body(yield* CopiedLogs.openSource(from), yield* to.openTarget)
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(MemoryBlobStore.layer)))
    )

  const assertSame = Effect.fnUntraced(function* (source: CopiedLogs.Source, target: LogTarget) {
    assert.deepStrictEqual(
      yield* CopiedLogs.contents(target.reading),
      yield* CopiedLogs.contents(source.reading)
    )
  })

  describe(`A copy from ${from.name} to ${to.name}`, () => {
    test(
      "has every event of the source in order, with its id, time, ordinal and hash, and the payload records",
      Effect.fnUntraced(function* (source, target) {
        yield* source.use(CopiedLogs.fill)
        const { copied, verified } = yield* CopiedLogs.copyAll(source, target)
        yield* assertSame(source, target)
        assert.strictEqual(copied.digest, yield* source.use(DataDirectory.digest))
        assert.strictEqual(copied.position, yield* source.reading.head)
        assert.strictEqual(copied.copied, copied.events)
        assert.deepInclude(verified, {
          digest: copied.digest,
          events: 45,
          payloads: 2,
          erasedPayloads: 1,
          position: yield* target.reading.head
        })
      })
    )

    test(
      "copies nothing from an empty source, and nothing more when repeated",
      Effect.fnUntraced(function* (source, target) {
        const { copied: empty } = yield* CopiedLogs.copyAll(source, target)
        assert.deepInclude(empty, { copied: 0, events: 0, digest: "" })
        yield* source.use(CopiedLogs.fill)
        yield* CopiedLogs.copyAll(source, target)
        const { copied } = yield* CopiedLogs.copyAll(source, target)
        assert.deepInclude(copied, { copied: 0, events: 45 })
        yield* assertSame(source, target)
      })
    )

    test(
      "continues wherever an earlier one ended",
      Effect.fnUntraced(function* (source, target) {
        yield* source.use(CopiedLogs.fill)
        // Within the run of one stream, before and behind payloads, between a payload and its erasure, at the end.
        for (const [index, count] of [0, 1, 3, 9, 24, 25, 44, 45].entries()) {
          const other = index === 0 ? target : yield* to.openTarget
          yield* copyFirst(source, other, count)
          const { copied, verified } = yield* CopiedLogs.copyAll(source, other)
          assert.strictEqual(copied.copied, 45 - count)
          assert.deepInclude(verified, { payloads: 2, erasedPayloads: 1 })
          yield* assertSame(source, other)
        }
      })
    )

    test(
      "continues after an interruption in the middle of a long log, and reports its progress",
      Effect.fnUntraced(function* (source, target) {
        yield* source.use(CopiedLogs.fillPages("n"))
        const interrupted = yield* Effect.exit(
          LogCopy.copy({ source: source.reading, target, onProgress: () => Effect.interrupt })
        )
        assert.isTrue(Exit.hasInterrupts(interrupted))
        const before = (yield* CopiedLogs.events(target.reading)).length
        assert.isAbove(before, 0)
        assert.isBelow(before, 1_300)
        const reached: Array<GlobalPosition.GlobalPosition> = []
        const copied = yield* LogCopy.copy({
          source: source.reading,
          target,
          onProgress: (position) => Effect.sync(() => void reached.push(position))
        })
        assert.strictEqual(copied.copied, 1_300 - before)
        assert.deepStrictEqual(reached, [...reached].sort(GlobalPosition.order))
        assert.strictEqual(reached.at(-1), yield* source.reading.head)
        yield* LogCopy.prove({ target, copied })
        yield* assertSame(source, target)
      })
    )

    test(
      "follows a source that grows meanwhile",
      Effect.fnUntraced(function* (source, target) {
        yield* source.use(CopiedLogs.fill)
        let growths = 0
        const grow = Effect.suspend(() =>
          growths++ < 3 ? source.use(DataDirectory.append("late", `late${growths}`)) : Effect.void
        )
        const copied = yield* LogCopy.copy({
          source: source.reading,
          target,
          onProgress: () => Effect.orDie(grow)
        })
        assert.strictEqual(copied.events, 48)
        yield* LogCopy.prove({ target, copied })
        yield* assertSame(source, target)
      })
    )

    test(
      "erases a payload that was erased on the source after it was copied",
      Effect.fnUntraced(function* (source, target) {
        yield* source.use(CopiedLogs.fill)
        yield* CopiedLogs.copyAll(source, target)
        yield* source.use(DataDirectory.erase("a"))
        const { copied, verified } = yield* CopiedLogs.copyAll(source, target)
        assert.strictEqual(copied.copied, 1)
        assert.deepInclude(verified, { payloads: 1, erasedPayloads: 2 })
        assert.isNull(yield* target.reading.payload(DataDirectory.stream("a"), "input"))
      })
    )

    const refuses = (name: string, write: Body, reason: RegExp) =>
      test(
        name,
        Effect.fnUntraced(function* (source, target) {
          yield* source.use(CopiedLogs.fill)
          yield* write(source, target)
          const before = yield* CopiedLogs.contents(target.reading)
          const error = yield* Effect.flip(LogCopy.copy({ source: source.reading, target }))
          assert.strictEqual(error._tag, "NotACopy")
          assert.match(error.message, reason)
          assert.deepStrictEqual(yield* CopiedLogs.contents(target.reading), before)
        })
      )

    refuses(
      "is refused when the target has another event, and writes nothing",
      (_, target) => target.append([stranger]),
      /it has other, but the source has a0 \(position 1\)\. Nothing was written$/
    )

    refuses(
      "is refused when the target goes on where the source ends, and writes nothing",
      (source, target) => Effect.andThen(copyFirst(source, target, Infinity), target.append([stranger])),
      /it continues, but the source has ended\. Nothing was written$/
    )

    test(
      "is not verified if something else has written to the target",
      Effect.fnUntraced(function* (source, target) {
        yield* source.use(CopiedLogs.fill)
        const copied = yield* LogCopy.copy({ source: source.reading, target })
        yield* target.append([stranger])
        const error = yield* Effect.flip(LogCopy.prove({ target, copied }))
        assert.strictEqual(error._tag, "CopyDamaged")
        assert.match(error.message, /it has 46 events .* the source has 45 /)
      })
    )

    test(
      "is not verified without the payloads in the blob store, which are not copied",
      Effect.fnUntraced(function* (source, target) {
        yield* source.use(CopiedLogs.fill)
        const copied = yield* LogCopy.copy({ source: source.reading, target })
        const error = yield* LogCopy.prove({ target, copied }).pipe(
          Effect.provide(Layer.fresh(MemoryBlobStore.layer)),
          Effect.flip
        )
        assert.match(error.message, /damaged: at its position .* the payload input is missing/)
      })
    )
  })
}
