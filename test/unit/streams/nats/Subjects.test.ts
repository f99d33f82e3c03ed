import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as StreamName from "#streams/StreamName.ts"
import * as Subjects from "#streams/nats/Subjects.ts"

const text = fc.string({ unit: "binary", minLength: 1 })

describe("Subjects", () => {
  it("escape any text into one token and decode it", () => {
    fc.assert(
      fc.property(text, (original) => {
        const token = Subjects.escape(original)
        assert.match(token, /^[A-Za-z0-9_=-]+$/)
        assert.strictEqual(Subjects.unescape(token), original)
      })
    )
  })

  it("differ for different texts", () => {
    fc.assert(
      fc.property(text, text, (a, b) =>
        assert.strictEqual(Subjects.escape(a) === Subjects.escape(b), a === b)
      )
    )
  })

  it("identify their stream", () => {
    const subjects = Subjects.make({ prefix: "p" })
    fc.assert(
      fc.property(text, (id) => {
        const stream = StreamName.make("Thing", id)
        assert.strictEqual(subjects.streamOf(subjects.events(stream)), stream)
        assert.lengthOf(subjects.payload(stream, "input", "hash").split("."), 5)
      })
    )
  })
})
