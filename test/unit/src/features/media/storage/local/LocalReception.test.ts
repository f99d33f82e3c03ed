import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { FileId } from "#domain/Ids.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import * as LocalNode from "#test/support/src/features/media/storage/local/LocalNode.ts"
import * as Puts from "#test/support/src/features/media/storage/local/Puts.ts"
import * as Until from "#test/support/Until.ts"

const MiB = 1024 * 1024

const blobAt = (directory: string, id: FileId) => `${directory}/blobs/media/${id}`

const test = (
  name: string,
  body: (node: {
    readonly port: number
    readonly directory: string
  }) => Effect.Effect<void, unknown, LocalNode.Node | LocalNode.Directory | Scope.Scope>,
  options: Parameters<typeof LocalNode.layer>[0] = {}
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const directory = yield* LocalNode.Directory
      yield* body({ port: yield* LocalNode.serve, directory })
      assert.deepStrictEqual(Puts.underWay(directory), [], "no temporary file is left")
      assert.strictEqual(Puts.openFiles(directory), 0, "no file is open")
    }).pipe(Effect.scoped, Effect.provide(LocalNode.layer(options)))
  )

const stateOf = (id: FileId) =>
  Effect.map(
    Effect.flatMap(FileActors, ({ refresh }) => refresh(id)),
    ({ state }) => state
  )

const isPending = Effect.fnUntraced(function* (directory: string, id: FileId) {
  assert.strictEqual((yield* stateOf(id))._tag, "Pending")
  assert.isFalse(fs.existsSync(blobAt(directory, id)))
})

describe("LocalReception", () => {
  for (const [what, length, headers] of [
    ["no bytes", 0, {}],
    ["a small body", 1_000, {}],
    ["a body that threads hash", 3 * MiB + 17, {}],
    ["a small body of unknown length", 1_000, { "transfer-encoding": "chunked" }],
    ["a large body of unknown length", 3 * MiB + 17, { "transfer-encoding": "chunked" }]
  ] as const)
    test(`stores ${what} byte for byte, returns its MD5, and records both digests`, ({ directory, port }) =>
      Effect.gen(function* () {
        const bytes = Puts.pattern(length)
        const target = yield* Puts.announce()
        const answered = yield* Puts.put(port, yield* Puts.urlOf(target), bytes, headers)
        const etag = Puts.md5(bytes)
        assert.deepStrictEqual(answered, { status: 200, etag: `"${etag}"` })
        assert.isTrue(bytes.equals(fs.readFileSync(blobAt(directory, target.id))))
        const state = yield* stateOf(target.id)
        assert.deepStrictEqual(state._tag === "Present" && state.stored, {
          size: length,
          etag,
          sha256: Puts.sha256(bytes)
        })
      }))

  for (const [declared, sent] of [
    ["text/plain; charset=utf-8", "text/plain"],
    ["text/plain; charset=utf-8", "Text/PLAIN ;charset=UTF-8"],
    ["text/plain; charset=utf-8", 'text/plain;charset="latin1"'],
    ["application/json", "application/json; charset=utf-8"],
    ["video/webm", "video/webm;codecs=vp9,opus"],
    ["image/png", ""],
    ["image/png", undefined],
    ["application/octet-stream", "nonsense"]
  ] as const)
    test(`takes bytes announced as ${declared} and sent as ${sent ?? "no type"}`, ({ port }) =>
      Effect.gen(function* () {
        const target = yield* Puts.announce({ contentType: declared })
        const url = yield* Puts.urlOf(target)
        const { status } = yield* Puts.put(port, url, Puts.pattern(10), { "content-type": sent })
        assert.strictEqual(status, 200)
      }))

  test("refuses another type than the announced one", ({ directory, port }) =>
    Effect.gen(function* () {
      const target = yield* Puts.announce({ contentType: "text/plain; charset=utf-8" })
      const url = yield* Puts.urlOf(target)
      for (const contentType of [
        "text/html",
        "text/plain2",
        "nonsense",
        "application/x-www-form-urlencoded"
      ]) {
        const { error } = yield* Puts.put(port, url, Puts.pattern(10), { "content-type": contentType })
        assert.strictEqual(error, "ContentTypeMismatch", contentType)
      }
      yield* isPending(directory, target.id)
    }))

  test("rejects a modified URL, and an invalid id", ({ directory, port }) =>
    Effect.gen(function* () {
      const target = yield* Puts.announce({ size: 10 })
      const other = yield* Puts.announce({ size: 10 })
      const url = yield* Puts.urlOf(target)
      const changed = [
        [url.replace(/expires=\d+/, "expires=9999999999"), "UrlRefused", "signature_mismatch"],
        [url.replace(/signature=./, "signature=."), "UrlRefused", "signature_mismatch"],
        [url.replace(target.id, other.id), "UrlRefused", "signature_mismatch"],
        [`${url}&uploadId=a&partNumber=1`, "UrlRefused", "signature_mismatch"],
        [url.replace(/\?.*/, ""), "UrlRefused", "not_signed"],
        [url.replace(target.id, "0".repeat(24)), "FileNotFound", undefined],
        [url.replace(target.id, "short"), "FileNotFound", undefined]
      ] as const
      for (const [changedUrl, error, reason] of changed) {
        const answered = yield* Puts.put(port, changedUrl, Puts.pattern(10))
        assert.deepStrictEqual([answered.error, answered.reason], [error, reason], changedUrl)
      }
      yield* isPending(directory, target.id)
      yield* isPending(directory, other.id)
    }))

  test("rejects more bytes than announced, before reading them", ({ directory, port }) =>
    Effect.gen(function* () {
      const target = yield* Puts.announce({ size: 2 * MiB })
      const url = yield* Puts.urlOf(target)
      const more = Puts.begin(port, url, { "content-type": Puts.contentType, "content-length": 2 * MiB + 1 })
      assert.strictEqual((yield* Effect.promise(() => more.answered)).error, "FileTooLarge")
      const less = Puts.begin(port, url, { "content-type": Puts.contentType, "content-length": 2 * MiB - 1 })
      assert.strictEqual((yield* Effect.promise(() => less.answered)).reason, "wrong_size")
      yield* isPending(directory, target.id)
    }))

  test("stops reading at the first excess byte of a body of unknown length", ({ directory, port }) =>
    Effect.gen(function* () {
      const target = yield* Puts.announce({ size: MiB })
      const headers = { "content-type": Puts.contentType, "transfer-encoding": "chunked" }
      const sending = Puts.begin(port, yield* Puts.urlOf(target), headers)
      // Never ended, because the answer comes without the rest.
      sending.request.write(Puts.pattern(MiB + 1))
      assert.strictEqual((yield* Effect.promise(() => sending.answered)).error, "FileTooLarge")
      sending.request.destroy()
      yield* isPending(directory, target.id)
    }))

  test("rejects fewer bytes than announced", ({ directory, port }) =>
    Effect.gen(function* () {
      const target = yield* Puts.announce({ size: MiB })
      const url = yield* Puts.urlOf(target)
      const answered = yield* Puts.put(port, url, Puts.pattern(MiB - 1), { "transfer-encoding": "chunked" })
      assert.strictEqual(answered.reason, "wrong_size")
      yield* isPending(directory, target.id)
    }))

  for (const length of [100, 2 * MiB])
    test(`compares Content-MD5 with ${length} bytes`, ({ directory, port }) =>
      Effect.gen(function* () {
        const target = yield* Puts.announce()
        const url = yield* Puts.urlOf(target)
        const bytes = Puts.pattern(length)
        const digest = (bytes: Uint8Array) => Buffer.from(Puts.md5(bytes), "hex").toString("base64")
        for (const wrong of [digest(Puts.pattern(length, 1)), "none", ""]) {
          const { reason } = yield* Puts.put(port, url, bytes, { "content-md5": wrong })
          assert.strictEqual(reason, "digest_mismatch")
        }
        yield* isPending(directory, target.id)
        const { status } = yield* Puts.put(port, url, bytes, { "content-md5": digest(bytes) })
        assert.strictEqual(status, 200)
      }))

  test("leaves nothing of a client that disconnects in the middle", ({ directory, port }) =>
    Effect.gen(function* () {
      const target = yield* Puts.announce()
      const url = yield* Puts.urlOf(target)
      const sending = Puts.begin(port, url, { "content-type": Puts.contentType, "content-length": 8 * MiB })
      sending.request.write(Puts.pattern(3 * MiB))
      yield* Until.holds(
        "the uploads under way",
        () => Puts.underWay(directory).length === 1,
        () => Puts.underWay(directory)
      )
      sending.request.destroy()
      yield* Until.holds(
        "the uploads under way",
        () => Puts.underWay(directory).length === 0 && Puts.openFiles(directory) === 0,
        () => Puts.underWay(directory)
      )
      yield* isPending(directory, target.id)
      const bytes = Puts.pattern(8 * MiB)
      assert.strictEqual((yield* Puts.put(port, url, bytes)).status, 200)
    }))

  test("accepts 32 concurrent files of one account, and the next one when a slot is free", ({
    directory,
    port
  }) =>
    Effect.gen(function* () {
      const target = yield* Puts.announce()
      const url = yield* Puts.urlOf(target)
      const headers = { "content-type": Puts.contentType, "content-length": 10 }
      const sendings = Array.from({ length: 33 }, () => Puts.begin(port, url, headers))
      yield* Until.holds(
        "the uploads under way",
        () => Puts.underWay(directory).length === 32,
        () => Puts.underWay(directory)
      )
      for (const { request } of sendings) request.end(Puts.pattern(10))
      for (const { answered } of sendings)
        assert.strictEqual((yield* Effect.promise(() => answered)).status, 200)
    }))

  test(
    "checks the quota for an unannounced size, before and after it is known",
    ({ directory, port }) =>
      Effect.gen(function* () {
        const target = yield* Puts.announce()
        const url = yield* Puts.urlOf(target)
        assert.strictEqual((yield* Puts.put(port, url, Puts.pattern(1_001))).error, "QuotaExceeded")
        const chunked = { "transfer-encoding": "chunked" }
        assert.strictEqual((yield* Puts.put(port, url, Puts.pattern(1_001), chunked)).error, "QuotaExceeded")
        yield* isPending(directory, target.id)
        assert.strictEqual((yield* Puts.put(port, url, Puts.pattern(1_000), chunked)).status, 200)
      }),
    { quota: "1000B" }
  )

  test(
    "counts parts that are not yet assembled",
    ({ port }) =>
      Effect.gen(function* () {
        const target = yield* Puts.announce({ uploadId: "upload" })
        const put = (partNumber: number, size: number, headers = {}) =>
          Effect.flatMap(Puts.partUrlOf(target, "upload", partNumber), (url) =>
            Puts.put(port, url, Puts.pattern(size), headers)
          )
        assert.strictEqual((yield* put(1, 700)).status, 200)
        assert.strictEqual((yield* put(2, 301)).error, "QuotaExceeded")
        assert.strictEqual((yield* put(2, 301, { "transfer-encoding": "chunked" })).error, "QuotaExceeded")
        assert.strictEqual((yield* put(2, 300)).status, 200)
      }),
    { quota: "1000B" }
  )

  test("accepts no more bytes in parts than declared", ({ port }) =>
    Effect.gen(function* () {
      const target = yield* Puts.announce({ uploadId: "upload", size: 1_000 })
      const put = (partNumber: number, size: number) =>
        Effect.flatMap(Puts.partUrlOf(target, "upload", partNumber), (url) =>
          Puts.put(port, url, Puts.pattern(size))
        )
      assert.strictEqual((yield* put(1, 700)).status, 200)
      assert.strictEqual((yield* put(2, 301)).error, "FileTooLarge")
      assert.strictEqual((yield* put(2, 300)).status, 200)
      for (const size of [1_000 - 301, 1_000 - 302]) assert.strictEqual((yield* put(1, size)).status, 200)
      assert.strictEqual((yield* put(1, 1_000 - 303)).error, "FileTooLarge", "too many of one number")
    }))
})
