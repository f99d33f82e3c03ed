import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Library from "#test/support/src/features/files/Library.ts"
import * as FileCalls from "#test/support/src/edges/mcp/tools/FileCalls.ts"

const { call, upload } = FileCalls

const data = Buffer.from("some bytes").toString("base64")

layer(FileCalls.local())("upload_file with the URL of a stored file", (it) => {
  it.effect("returns that file, and stores nothing", () =>
    Effect.gen(function* () {
      const first = yield* upload({ data, fileName: "notes.txt" })
      const before = yield* Library.ids()
      assert.deepStrictEqual(yield* upload({ url: first.fileUrl }), first)
      assert.deepStrictEqual(yield* upload({ url: `${first.fileUrl}?v=2` }), first)
      assert.deepStrictEqual(yield* Library.ids(), before)
    })
  )

  it.effect("rejects a deleted file, and one of another account", () =>
    Effect.gen(function* () {
      const { fileId, fileUrl } = yield* upload({ data })
      const ofBob = yield* call({ url: fileUrl }, { caller: Library.bob })
      assert.match(ofBob.text, /of another account. Nothing was uploaded: use the URL as it is/)
      yield* Library.remove(fileId)
      const deleted = yield* call({ url: fileUrl })
      assert.match(deleted.text, /there is no file: it has not been uploaded, was deleted/)
    })
  )

  it.effect("rejects a file whose bytes have not arrived yet", () =>
    Effect.gen(function* () {
      const { fileUrl } = yield* Library.initiate()
      const { text } = yield* call({ url: fileUrl })
      assert.match(text, /there is no file: it has not been uploaded/)
    })
  )
})

layer(FileCalls.local({ quota: "10B" }))(
  "upload_file with the URL of a stored file in a full library",
  (it) => {
    it.effect("returns that file, and stores nothing more", () =>
      Effect.gen(function* () {
        const first = yield* upload({ data })
        assert.match((yield* call({ data })).text, /quota|room|may/)
        assert.deepStrictEqual(yield* upload({ url: first.fileUrl }), first)
      })
    )
  }
)
