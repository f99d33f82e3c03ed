/** Invariants of a file under any sequence of commands. */
import { assert, describe, it } from "@effect/vitest"
import { DeletionReason, type Event } from "#domain/file/Event.ts"
import { aggregate } from "#domain/file/File.ts"
import { accountOf, type State } from "#domain/file/State.ts"
import * as Frozen from "#test/support/Frozen.ts"
import { replay } from "#test/support/Replay.ts"
import { stored } from "#test/support/Scenario.ts"
import { decide, holds, ofType, play, someLives } from "#test/support/domain/file/Lives.ts"
import * as Story from "#test/support/domain/file/Story.ts"

const { codec, decider } = aggregate

/** The expiry time from the last event that sets one; `null` if none does, or the file has ended. */
const livesUntil = (log: ReadonlyArray<Event>): number | null => {
  if (ofType(log, "FileDeleted", "FileExpired").length > 0) return null
  return ofType(log, "UploadInitiated", "UploadCompleted", "OutputStored").at(-1)?.expiresAt ?? null
}

const bytesOf = (state: State) => (state._tag === "Present" ? state.stored : null)
const isUpload = (log: ReadonlyArray<Event>) => log[0]?._tag === "UploadInitiated"

describe("Under any sequence of commands", () => {
  it("every event occurs, so that no property holds vacuously", () => {
    const log = someLives().flatMap((life) => play(life).log)
    assert.sameMembers([...new Set(log.map(({ _tag }) => _tag))], [...codec.types])
    const reasons = new Set(ofType(log, "FileDeleted").map(({ reason }) => reason))
    assert.sameMembers([...reasons], [...DeletionReason.literals])
    const methods = new Set(ofType(log, "UploadInitiated").map(({ method }) => method._tag))
    assert.sameMembers([...methods], ["Single", "Multipart"])
  })

  it("a file that is gone stays gone; only the removal of its bytes is recorded, once", () => {
    holds((life) => {
      const { log, state } = play(life, ({ after, before }) => {
        if (before._tag === "Gone") assert.strictEqual(after._tag, "Gone")
      })
      const end = log.findIndex(({ _tag }) => _tag === "FileDeleted" || _tag === "FileExpired")
      assert.strictEqual(state._tag === "Gone", end !== -1)
      const followers = end === -1 ? [] : log.slice(end + 1)
      assert.sameMembers([...ofType(followers, "PayloadsErased", "BytesRemoved")], followers)
      assert.isAtMost(ofType(followers, "BytesRemoved").length, 1)
      assert.deepStrictEqual(ofType(log, "BytesRemoved"), ofType(followers, "BytesRemoved"))
    })
  })

  it("the name of an upload is erased exactly once, with its end; an output has none", () => {
    holds((life) => {
      const { log } = play(life)
      const end = log.findIndex(({ _tag }) => _tag === "FileDeleted" || _tag === "FileExpired")
      const expected = end !== -1 && isUpload(log) ? [Story.nameErased(log[end]?.at ?? Number.NaN)] : []
      assert.deepStrictEqual<ReadonlyArray<Event>>(ofType(log, "PayloadsErased"), expected)
      assert.deepStrictEqual(log.slice(end + 1, end + 1 + expected.length), end === -1 ? [] : expected)
    })
  })

  it("the bytes of an upload change only by a look into the store", () => {
    holds((life) => {
      const log: Array<Event> = []
      play(life, ({ command, before, events, after }) => {
        log.push(...events)
        const from = bytesOf(before)
        const to = bytesOf(after)
        if (!isUpload(log) || from === null || to === null || from === to) return
        assert.strictEqual(command._tag, "ObserveUpload")
        assert.notDeepEqual([from.size, from.etag], [to.size, to.etag])
      })
    })
  })

  it("an upload is announced once, completed at most once, and stays an upload; an output stays an output", () => {
    holds((life) => {
      const { log } = play(life)
      const uploads = ofType(log, "UploadInitiated", "UploadCompleted", "UploadReplaced")
      assert.isAtMost(ofType(log, "UploadInitiated").length, 1)
      assert.isAtMost(ofType(log, "UploadCompleted").length, 1)
      if (isUpload(log)) assert.deepStrictEqual(ofType(log, "OutputStored"), [])
      else assert.deepStrictEqual(uploads, [])
    })
  })

  it("a file expires exactly at its ms, whatever happened before", () => {
    holds((life) => {
      const log: Array<Event> = []
      play(life, ({ command, events }) => {
        const until = livesUntil(log)
        if (command._tag === "Expire") {
          const isDue = until !== null && until <= command.at
          assert.strictEqual(ofType(events, "FileExpired").length, isDue ? 1 : 0)
        } else assert.deepStrictEqual(ofType(events, "FileExpired"), [])
        log.push(...events)
      })
    })
  })

  it("its owner and its multipart upload are known to the end", () => {
    holds((life) => {
      const { log, state } = play(life)
      const [first] = ofType(log, "UploadInitiated", "OutputStored")
      assert.strictEqual(accountOf(state), first?.accountId ?? null)
      if (state._tag !== "Gone") return
      const isInParts = first?._tag === "UploadInitiated" && first.method._tag === "Multipart"
      assert.strictEqual(state.uploadId, isInParts ? Story.uploadId : null)
      assert.strictEqual(state.isRemoved, ofType(log, "BytesRemoved").length === 1)
    })
  })

  it("a repeated command changes nothing", () => {
    holds((life) => {
      play(life, ({ command, after }) => assert.deepStrictEqual(decide(command, after), []))
    })
  })

  it("the incremental state equals the replayed state", () => {
    holds((life) => {
      const { log, state } = play(life)
      assert.deepStrictEqual(replay(decider, log), state)
      assert.deepStrictEqual(replay(decider, log.map(stored(codec))), state)
    })
  })

  it("a decision does not change the state that it gets", () => {
    holds((life) => {
      play(life, ({ command, before }) => void decide(command, Frozen.freeze(before)))
    })
  })

  it("any event on the log is accepted in any state", () => {
    holds((life) => {
      const { log, state } = play(life)
      for (const event of log) {
        assert.doesNotThrow(() => decider.evolve(decider.initial, event))
        assert.doesNotThrow(() => decider.evolve(state, event))
      }
    })
  })
})
