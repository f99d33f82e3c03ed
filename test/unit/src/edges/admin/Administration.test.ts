/** One contract for direct administration and for the socket, over the real services with a new data directory. */
import * as http from "node:http"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type * as Grant from "#domain/account/Grant.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { Origin } from "#domain/account/Origin.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Money from "#domain/Money.ts"
import * as AdminClient from "#src/edges/admin/AdminClient.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as AdminServer from "#src/edges/admin/AdminServer.ts"
import * as LocalAdministration from "#src/edges/admin/LocalAdministration.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as Core from "#src/composition/Core.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { layers, publicUrls, publishing, quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

const openAccount = Effect.flatMap(Administration, ({ openAccount }) =>
  openAccount({ name: "acme", balance: Money.zero })
)

const authenticates = (key: Redacted.Redacted) =>
  Effect.flatMap(Authentication, ({ authenticate }) => authenticate(`Key ${Redacted.value(key)}`)).pipe(
    Effect.as(true),
    Effect.catchTag("Unauthorized", () => Effect.succeed(false))
  )

for (const [name, layer] of Object.entries(layers)) {
  describe(`Administration, ${name}`, () => {
    it.live("issues keys that work until they are revoked", () =>
      Effect.gen(function* () {
        const administration = yield* Administration
        const { accountId, key: first } = yield* openAccount
        const { key, keyId } = yield* administration.issueKey({ accountId, name: "ci" })
        assert.isTrue(yield* authenticates(first))
        assert.isTrue(yield* authenticates(key))

        yield* administration.revokeKey({ keyId })
        yield* administration.revokeKey({ keyId })
        assert.isFalse(yield* authenticates(key))
        assert.isTrue(yield* authenticates(first))
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )

    it.live("issues keys with their grants, and rotates their secrets", () =>
      Effect.gen(function* () {
        const administration = yield* Administration
        const { accountId } = yield* openAccount
        const grant: Grant.Grant = {
          scopes: ["requests:read"],
          modelEndpoints: [ModelEndpoint.make("vision/ocr")],
          monthlyBudget: Money.NanoUsd.make(25_000_000_000n),
          expiresAt: 4_102_444_800_000,
          origins: [Origin.make("https://app.example")]
        }
        const { key, keyId } = yield* administration.issueKey({ accountId, name: "ci", grant })
        assert.isTrue(yield* authenticates(key))
        const rotated = yield* administration.rotateKey({ keyId, graceMs: 0 })
        assert.deepInclude(rotated, { accountId, keyId, previousExpiresAt: null })
        assert.isFalse(yield* authenticates(key))
        assert.isTrue(yield* authenticates(rotated.key))
        const again = yield* administration.rotateKey({ keyId, graceMs: 60_000 })
        assert.isNotNull(again.previousExpiresAt)
        assert.isTrue(yield* authenticates(rotated.key))

        const { data: listed } = yield* administration.listKeys({ accountId, after: null })
        const found = listed.find((listed) => listed.keyId === keyId)
        assert.deepInclude(found, grant)
        assert.isNotNull(found?.rotatedAt)
        assert.strictEqual((found?.lastUsedAt ?? 1) % 60_000, 0)
        yield* administration.revokeKey({ keyId })
        const refused = yield* Effect.flip(administration.rotateKey({ keyId, graceMs: 0 }))
        assert.strictEqual(refused._tag, "KeyRevoked")
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )

    it.live("lists recent changes at once, page by page, of one account or of all", () =>
      Effect.gen(function* () {
        const administration = yield* Administration
        const a = yield* openAccount
        const b = yield* openAccount
        const issued = yield* administration.issueKey({ accountId: a.accountId, name: "ci" })
        yield* administration.revokeKey({ keyId: issued.keyId })

        const ids = [a.keyId, b.keyId, issued.keyId].sort()
        const { data: all } = yield* administration.listKeys({ after: null })
        assert.deepStrictEqual(
          all.map(({ keyId }) => keyId),
          ids
        )
        const { data: rest } = yield* administration.listKeys({ after: ids[0] ?? null })
        assert.deepStrictEqual(rest, all.slice(1))
        const { data: ofA } = yield* administration.listKeys({ accountId: a.accountId, after: null })
        assert.sameMembers(
          ofA.map(({ keyId }) => keyId),
          [a.keyId, issued.keyId]
        )
        assert.isNotNull(ofA.find(({ keyId }) => keyId === issued.keyId)?.revokedAt)
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )

    it.live("rejects unknown accounts and keys", () =>
      Effect.gen(function* () {
        const administration = yield* Administration
        const accountId = AccountId.make("acc_0000000000000000")
        const issue = yield* Effect.flip(administration.issueKey({ accountId, name: "ci" }))
        assert.strictEqual(issue._tag, "AccountNotFound")
        const revoke = yield* Effect.flip(administration.revokeKey({ keyId: KeyId.make("nobody") }))
        assert.strictEqual(revoke._tag, "KeyNotFound")
        const rotate = { keyId: KeyId.make("nobody"), graceMs: 0 }
        assert.strictEqual((yield* Effect.flip(administration.rotateKey(rotate)))._tag, "KeyNotFound")
      }).pipe(Effect.provide(Layer.provide(layer, quiet)))
    )
  })
}

describe("Administration, on a server of another release", () => {
  const listKeys = Effect.flatMap(Administration, ({ listKeys }) => listKeys({ after: null }))

  const listKeysOf = Effect.fnUntraced(function* (status: number, answer: string, release = version) {
    const directory = yield* TempDirectory.make
    const server = http.createServer((_, response) => {
      if (status === 0) return void response.destroy()
      response
        .writeHead(status, { "content-type": "application/json", "inferlog-release": release })
        .end(answer)
    })
    yield* Effect.callback<void>((resume) => {
      server.listen(path.join(directory, "admin.sock"), () => resume(Effect.void))
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    const client = Layer.unwrap(AdminClient.open).pipe(Layer.provide(DataDirectory.layerAt(directory)))
    return yield* Effect.flip(Effect.provide(listKeys, client))
  })

  const start = "The running server did not carry out the command: "

  it.live("reports a server that is no inferlog server of this kind", () =>
    Effect.gen(function* () {
      const error = yield* listKeysOf(404, JSON.stringify({ detail: "Not Found" }))
      assert.strictEqual(error._tag, "AdministrationFailed")
      assert.strictEqual(
        error.message,
        `${start}it answers 404, and not as an inferlog server of release ${version} does`
      )
    })
  )

  it.live("reports an operation that the server does not have, with both releases", () =>
    Effect.gen(function* () {
      const answer = JSON.stringify({ error: "Unknown route.", request_id: "call_1" })
      const error = yield* listKeysOf(404, answer, "0.0.9")
      assert.strictEqual(
        error.message,
        `${start}it does not serve listKeys: it is another release, or does not serve administration at this address (the server is release 0.0.9, this command ${version})`
      )
    })
  )

  it.live("reports a response that it cannot read without quoting it", () =>
    Effect.gen(function* () {
      const error = yield* listKeysOf(200, JSON.stringify("secret"))
      assert.strictEqual(error.message, `${start}its answer is not as expected`)
    })
  )

  it.live("reports a server that stops before it answers", () =>
    Effect.gen(function* () {
      const error = yield* listKeysOf(0, "")
      assert.strictEqual(error._tag, "AdministrationFailed")
    })
  )
})

describe("Administration, without room for a socket", () => {
  const deep = Layer.unwrap(
    Effect.map(TempDirectory.make, (directory) =>
      DataDirectory.layerAt(path.join(directory, "d".repeat(100)))
    )
  )

  it.live("leaves the server running, and reports that to commands", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Layer.build(Layer.provide(AdminServer.layerNoDeps, quiet)))
      const error = yield* Effect.flip(AdminClient.open)
      assert.strictEqual(error._tag, "NoAdminSocket")
      assert.include(error.message, "stop the server first")
    }).pipe(
      Effect.provide(
        LocalAdministration.layer.pipe(
          Layer.provideMerge(publishing),
          Layer.provideMerge(Core.layer),
          Layer.provideMerge(publicUrls),
          Layer.provideMerge(deep),
          Layer.provide(quiet)
        )
      )
    )
  )
})
