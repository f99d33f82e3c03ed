import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FileId } from "#domain/Ids.ts"
import { claimOf, type Query, type Signed, SignedUrls } from "#src/features/media/storage/local/SignedUrls.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"

const mediaUrl = "https://media.test"

const layer = (key: number) =>
  SignedUrls.layer.pipe(
    Layer.provide(
      Layer.merge(
        MasterKey.layerOf(Buffer.alloc(32, key)),
        PublicUrls.layerOf({ queueUrl: "", baseUrl: "", mediaUrl, mcpUrl: "" })
      )
    )
  )

const id = FileId.make("0123456789abcdef-_ABCDEF")
const expiresAt = 1_900_000_000_999
const whole: Signed = { id, contentType: "image/png", size: 5, part: null }
const part: Signed = { ...whole, part: { uploadId: "u_1", partNumber: 7 } }

const queryOf = (url: string): Query => Object.fromEntries(new URL(url).searchParams)

const urlOf = (signed: Signed) =>
  Effect.map(SignedUrls, (urls) => urls.url({ ...signed, fileName: "a b.png", expiresAt }))

/** `null` for a valid one. */
const judged = Effect.fnUntraced(
  function* (query: Query, { contentType, id, size }: Signed, now: number) {
    const urls = yield* SignedUrls
    yield* urls.verify(yield* claimOf(query), { id, contentType, size }, now)
    return null
  },
  Effect.catchTag("UrlRefused", ({ reason }) => Effect.succeed(reason))
)

describe("SignedUrls", () => {
  it.effect("extend the file's own URL, with part and upload in the query", () =>
    Effect.gen(function* () {
      assert.match(
        yield* urlOf(whole),
        /^https:\/\/media\.test\/media\/0123456789abcdef-_ABCDEF\/01234567-a%20b\.png\?expires=1900000000&signature=[\w-]{43}$/
      )
      const { signature, ...query } = queryOf(yield* urlOf(part))
      assert.deepStrictEqual(query, { expires: "1900000000", uploadId: "u_1", partNumber: "7" })
      assert.match(signature ?? "", /^[\w-]{43}$/)
    }).pipe(Effect.provide(layer(1)))
  )

  it.effect("are valid until the second in which they end", () =>
    Effect.gen(function* () {
      for (const signed of [whole, part]) {
        const query = queryOf(yield* urlOf(signed))
        assert.isNull(yield* judged(query, signed, 1_899_999_999_999))
        assert.strictEqual(yield* judged(query, signed, 1_900_000_000_000), "expired")
      }
    }).pipe(Effect.provide(layer(1)))
  )

  it.effect("are rejected when a parameter is changed, missing, or of another file", () =>
    Effect.gen(function* () {
      const now = 0
      const good = queryOf(yield* urlOf(part))
      const signature = good["signature"] ?? ""
      const last = signature.endsWith("A") ? "B" : "A"
      const mismatches: ReadonlyArray<readonly [Query, Signed]> = [
        [{ ...good, expires: "1900000001" }, part],
        [{ ...good, uploadId: "u_2" }, part],
        [{ ...good, partNumber: "8" }, part],
        [{ ...good, uploadId: "", partNumber: "7" }, part],
        [{ ...good, uploadId: undefined, partNumber: undefined }, part],
        [{ ...good, signature: "" }, part],
        [{ ...good, signature: signature.slice(0, -1) + last }, part],
        [{ ...good, signature: `${signature}=` }, part],
        [{ ...good, signature: `${signature}A` }, part],
        [good, { ...part, id: FileId.make("1123456789abcdef-_ABCDEF") }],
        [good, { ...part, contentType: "image/gif" }],
        [good, { ...part, size: 6 }],
        [good, { ...part, size: null }],
        [{ ...queryOf(yield* urlOf(whole)), uploadId: "u_1", partNumber: "7" }, whole]
      ]
      for (const [index, [query, file]] of mismatches.entries())
        assert.strictEqual(yield* judged(query, file, now), "signature_mismatch", `case ${index}`)
      for (const query of [
        {},
        { ...good, expires: undefined },
        { ...good, expires: "01900000000" },
        { ...good, expires: "1900000000 " },
        { ...good, expires: "1.9e9" },
        { ...good, signature: undefined },
        { ...good, uploadId: undefined },
        { ...good, partNumber: undefined },
        { ...good, partNumber: "07" },
        { ...good, partNumber: "-7" }
      ])
        assert.strictEqual(yield* judged(query, part, now), "not_signed", JSON.stringify(query))
      assert.isNull(yield* judged(good, part, now))
    }).pipe(Effect.provide(layer(1)))
  )

  it.effect("of another installation are rejected", () =>
    Effect.gen(function* () {
      const query = queryOf(yield* Effect.provide(urlOf(whole), layer(2), { local: true }))
      assert.strictEqual(yield* judged(query, whole, 0), "signature_mismatch")
    }).pipe(Effect.provide(layer(1)))
  )
})
