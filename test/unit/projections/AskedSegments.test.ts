/** Questions and answers about archived segments, between the projections' thread and the server's. */
import { MessageChannel } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import * as AnsweredSegments from "#projections/worker/AnsweredSegments.ts"
import * as AskedSegments from "#projections/worker/AskedSegments.ts"
import { FromWorker } from "#projections/worker/Protocol.ts"
import { type SegmentBytes, unreadable } from "#streams/archive/SegmentSource.ts"

const decode = Schema.decodeUnknownOption(FromWorker)

/** The source of a thread that asks `source`, over a real channel. */
const askedOf = (source: SegmentBytes) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new MessageChannel()),
      ({ port1 }) => Effect.sync(() => port1.close())
    ),
    ({ port1, port2 }) => {
      port2.on("message", (message) => {
        const question = Option.getOrNull(decode(message))
        if (question?._tag !== "SegmentWanted") return
        Effect.runFork(AnsweredSegments.answer(source, question, (answer) => port2.postMessage(answer)))
      })
      return AskedSegments.make(port1)
    }
  )

const place = (key: string) => ({ key, location: "s3://bucket/archive" })
const content = Buffer.from("a whole segment")

const source: SegmentBytes = {
  read: ({ key }, range) => {
    if (key === "missing") return Effect.fail(unreadable(key, "it is not there"))
    if (key === "faulty") return Effect.die(new TypeError("a bug"))
    return Effect.succeed(
      range === undefined ? content : content.subarray(range.start, range.start + range.length)
    )
  }
}

describe("The projections' thread", () => {
  it.live("gets each segment or part that it asks for, at the same time", () =>
    Effect.gen(function* () {
      const asked = yield* askedOf(source)
      const part = { start: 2, length: 5, digest: "digest" }
      const found = yield* Effect.all([asked.read(place("a")), asked.read(place("b"), part)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        found.map((bytes) => Buffer.from(bytes).toString()),
        ["a whole segment", "whole"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is told once why a segment cannot be read, also when the server's reader has a bug", () =>
    Effect.gen(function* () {
      const asked = yield* askedOf(source)
      for (const [key, reason] of [
        ["missing", "it is not there"],
        ["faulty", "TypeError"]
      ] as const) {
        const error = yield* Effect.flip(asked.read(place(key)))
        assert.strictEqual(error.message, `The archived segment ${key} cannot be read: ${reason}`)
        assert.strictEqual(error.segment, key)
      }
    }).pipe(Effect.scoped)
  )
})
