import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaServices from "#test/support/MediaServices.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"

const seed = Number(process.env["RANGE_SEED"] ?? Date.now() % 1_000_000)

const bytesOf = (size: number) => Buffer.from(Uint8Array.from({ length: size }, (_, index) => index % 251))

const stored = (body: Uint8Array) =>
  Effect.flatMap(MediaStore, (store) =>
    store.put({ ...MediaServices.made, fileName: "a", contentType: "image/png", body })
  )

/** The expected part; `null` for none. The whole file for a malformed range. */
const expected = (bytes: Buffer, range: string): Buffer | null => {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? []
  if (first === "" && last === "") return bytes
  if (first !== "" && last !== "" && Number(last) < Number(first)) return bytes
  const part =
    first === "" ? bytes.subarray(Math.max(0, bytes.length - Number(last))) : bytes.subarray(Number(first))
  const end = first === "" || last === "" ? part.length : Number(last) - Number(first) + 1
  return part.length === 0 ? null : part.subarray(0, end)
}

/** Files of any size, including the size of a read chunk, and ranges around their ends. */
const cases = fc
  .oneof(fc.nat(300), fc.integer({ min: 65_530, max: 65_540 }), fc.nat(300_000))
  .chain((size) => {
    const position = fc.oneof(
      fc.nat(size + 10),
      fc.integer({ min: Math.max(0, size - 3), max: size + 3 }),
      fc.constant("")
    )
    const range = fc.oneof(
      { weight: 9, arbitrary: fc.tuple(position, position).map(([first, last]) => `bytes=${first}-${last}`) },
      { weight: 1, arbitrary: fc.constantFrom("bytes=0-1,3-4", "bytes=x-", "items=0-1", "bytes=-1-2") }
    )
    return fc.tuple(fc.constant(size), fc.array(range, { minLength: 20, maxLength: 20 }))
  })

layer(TestServer.layer(), { excludeTestServices: true })("ranges of stored files", (it) => {
  it.effect(`are the bytes in the header (RANGE_SEED=${seed})`, () =>
    Effect.gen(function* () {
      for (const [size, ranges] of fc.sample(cases, { seed, numRuns: 25 })) {
        const bytes = bytesOf(size)
        const { etag, url } = yield* stored(bytes)
        for (const range of ranges) {
          const part = expected(bytes, range)
          const reply = yield* FileCalls.get(url, { range })
          const about = `${range} of ${size}`
          if (part === null) {
            assert.strictEqual(reply.status, 416, about)
            assert.strictEqual(reply.headers["content-range"], `bytes */${size}`)
            continue
          }
          assert.strictEqual(reply.headers["etag"], etag)
          assert.strictEqual(reply.headers["content-length"], String(part.length), about)
          assert.isTrue(reply.bytes.equals(part), about)
          if (reply.status === 200) {
            assert.strictEqual(part.length, size, about)
            continue
          }
          const [, start, end, of] =
            /^bytes (\d+)-(\d+)\/(\d+)$/.exec(reply.headers["content-range"] ?? "") ?? []
          assert.deepStrictEqual(
            [reply.status, Number(end) - Number(start) + 1, Number(of)],
            [206, part.length, size]
          )
          assert.isTrue(bytes.subarray(Number(start), Number(end) + 1).equals(part), about)
        }
      }
    })
  )
})
