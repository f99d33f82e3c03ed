import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { events, type ServerSentEvent } from "#clients/typescript/Sse.ts"
import { UnexpectedAnswerError } from "#clients/typescript/InferlogError.ts"

async function* chunked(bytes: Uint8Array, sizes: ReadonlyArray<number>): AsyncGenerator<Uint8Array> {
  let at = 0
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length
    yield bytes.slice(at, at + size)
    at += size
  }
}

const read = async (text: string | Uint8Array, sizes: ReadonlyArray<number> = [Infinity]) => {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text
  const found: Array<ServerSentEvent> = []
  for await (const event of events(chunked(bytes, sizes))) found.push(event)
  return found
}

const event = (fields: Partial<ServerSentEvent>): ServerSentEvent => ({
  event: "message",
  data: undefined,
  id: undefined,
  retry: undefined,
  ...fields
})

describe("server-sent events of the TypeScript client", () => {
  it("reads fields, comments, ids without an event, and drops what no empty line ends", async () => {
    const text =
      "\uFEFFretry: 2000\n\n: up to here\nid: 7\n\n: keep-alive\n\nid:8\nevent: chunk\ndata:one\ndata:  two\ndata\n\ndata: cut off\n"
    assert.deepStrictEqual(await read(text), [
      event({ retry: 2_000 }),
      event({ id: "7" }),
      event({ id: "8", event: "chunk", data: "one\n two\n" })
    ])
  })

  it("ignores ids with NUL, retries that are no number, unknown fields, and a byte order mark inside", async () => {
    const text = "id: a\0b\nretry: 1s\nother: x\ndata: 1\n\n\uFEFFdata: 2\n\n"
    assert.deepStrictEqual(await read(text), [event({ data: "1" })])
  })

  it("gives the same events for every chunking and every kind of line end", async () => {
    const field = fc.oneof(
      fc.record({
        name: fc.constantFrom("data", "event", "id", "unknown"),
        value: fc.string({ unit: "grapheme" })
      }),
      fc.record({ name: fc.constant(""), value: fc.string() })
    )
    const block = fc.array(field, { minLength: 1, maxLength: 4 })
    const oneLine = (text: string) => text.replace(/[\r\n\0\uFEFF]/g, "☃")
    const property = fc.asyncProperty(
      fc.array(block, { maxLength: 6 }),
      fc.infiniteStream(fc.constantFrom("\n", "\r", "\r\n")),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 9 }),
      async (blocks, ends, sizes) => {
        const lines = blocks.flatMap((each) => [
          ...each.map(({ name, value }) => `${name}: ${oneLine(value)}`),
          ""
        ])
        const plain = lines.map((line) => `${line}\n`).join("")
        // A line feed behind a return would be one end of the two.
        let last = ""
        const mixed = lines
          .map((line) => {
            const end = ends.next().value ?? "\n"
            const safe = line === "" && last === "\r" && end === "\n" ? "\r\n" : end
            last = safe
            return line + safe
          })
          .join("")
        assert.deepStrictEqual(await read(mixed, sizes), await read(plain))
      }
    )
    await fc.assert(property, { numRuns: 300, verbose: 1 })
  })

  it("refuses an event of more than 16 MiB, in one line and in many", async () => {
    const large = "x".repeat(1024 * 1024)
    const refused = async (text: string, times: number) => {
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (let turn = 0; turn < times; turn++) yield new TextEncoder().encode(text)
      }
      try {
        for await (const _ of events(endless())) assert.fail("No event has ended")
        return null
      } catch (error) {
        return error
      }
    }
    assert.instanceOf(await refused(large, 17), UnexpectedAnswerError)
    assert.instanceOf(await refused(`data: ${large}\n`, 17), UnexpectedAnswerError)
    assert.isNull(await refused(large, 15))
  })
})
