/** The commands of worker keys. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const Created = Schema.Struct({
  keyId: Schema.String,
  key: Schema.String,
  modelEndpoints: Schema.NullOr(Schema.Array(Schema.String)),
  expiresAt: Schema.NullOr(Schema.String)
})
const Listed = Schema.Array(
  Schema.Struct({ keyId: Schema.String, name: Schema.String, revokedAt: Schema.NullOr(Schema.String) })
)

describe("The commands of worker keys", () => {
  it.effect("show a key once, list it without its secret, and revoke it", () =>
    Effect.gen(function* () {
      const settings = { DATA_DIR: yield* TempDirectory.make }
      yield* Inferlog.run(["accounts", "create", "--name", "acme", "--balance", "25"], settings)
      const create = ["workers", "create", "--name", "gpu-box"]
      const granted = ["--models", "acme/upscale", "--expires", "2100-01-01"]
      const created = yield* Inferlog.json(Created, [...create, ...granted], settings)
      assert.deepInclude(created, { modelEndpoints: ["acme/upscale"], expiresAt: "2100-01-01T00:00:00.000Z" })
      assert.match(created.key, new RegExp(`^${created.keyId}:\\S{43}$`))
      assert.strictEqual((yield* Inferlog.run(["workers", "revoke", created.keyId], settings)).code, 0)
      const [listed] = yield* Inferlog.json(Listed, ["workers", "list"], settings)
      assert.deepInclude(listed, { keyId: created.keyId, name: "gpu-box" })
      assert.isString(listed?.revokedAt)
    }).pipe(Effect.scoped)
  )
})
