/** The commands of keys: grants, rotation and revocation. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const Granted = Schema.Struct({
  scopes: Schema.Array(Schema.String),
  modelEndpoints: Schema.NullOr(Schema.Array(Schema.String)),
  monthlyBudget: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Schema.String),
  origins: Schema.NullOr(Schema.Array(Schema.String))
})
const Created = Schema.Struct({ ...Inferlog.Issued.fields, ...Granted.fields })
const Rotated = Schema.Struct({
  ...Inferlog.Issued.fields,
  previousKeyExpiresAt: Schema.NullOr(Schema.String)
})
const Listed = Schema.Array(
  Schema.Struct({
    keyId: Schema.String,
    name: Schema.String,
    ...Granted.fields,
    rotatedAt: Schema.NullOr(Schema.String),
    lastUsedAt: Schema.NullOr(Schema.String)
  })
)

const opened = Effect.gen(function* () {
  const settings = { DATA_DIR: yield* TempDirectory.make }
  yield* Inferlog.run(["accounts", "create", "--name", "acme", "--balance", "25"], settings)
  return settings
})

describe("The commands of keys", () => {
  it.effect("create a key from the flags, list it, and rotate its secret", () =>
    Effect.gen(function* () {
      const settings = yield* opened
      const granted = {
        scopes: ["requests:write", "billing:read"],
        modelEndpoints: ["vision/ocr", "sandbox/echo"],
        monthlyBudget: "25.5",
        expiresAt: "2100-01-01T00:00:00.000Z",
        origins: ["https://app.example"]
      }
      const limits = [
        ["--scopes", "billing:read, requests:write"],
        ["--models", "vision/ocr,sandbox/echo"],
        ["--monthly-budget", "25.50"],
        ["--expires", "2100-01-01"],
        ["--origins", "https://app.example"]
      ].flat()
      const created = yield* Inferlog.json(Created, ["keys", "create", "--name", "ci", ...limits], settings)
      assert.deepInclude(created, granted)

      const keyId = created.keyId
      const rotated = yield* Inferlog.run(["keys", "rotate", keyId], settings)
      assert.strictEqual(rotated.code, 0)
      assert.match(rotated.stderr, /is valid until 20\d\d-.* Shown only once:\n$/)
      assert.match(rotated.stdout, new RegExp(`^${keyId}:\\S{43}\\n$`))
      const last = yield* Inferlog.json(Rotated, ["keys", "rotate", keyId, "--grace", "0"], settings)
      assert.isNull(last.previousKeyExpiresAt)
      const secrets = [created.key, rotated.stdout.trim(), last.key]
      assert.strictEqual(new Set(secrets).size, 3)

      const keys = yield* Inferlog.json(Listed, ["keys", "list"], settings)
      const [first, ci] = ["first key", "ci"].map((name) => keys.find((key) => key.name === name))
      assert.deepInclude(ci, { keyId, ...granted, lastUsedAt: null })
      assert.isString(ci?.rotatedAt)
      assert.deepInclude(first, {
        modelEndpoints: null,
        monthlyBudget: null,
        expiresAt: null,
        rotatedAt: null
      })
      assert.lengthOf(first?.scopes ?? [], 8)
      const { stdout } = yield* Inferlog.run(["keys", "list"], settings)
      for (const text of ["requests:write,billing:read", "vision/ocr,sandbox/echo", "25.5", "all"]) {
        assert.include(stdout, text)
      }
      for (const secret of secrets) assert.notInclude(stdout, secret.slice(secret.indexOf(":")))

      const refused = yield* Inferlog.run(["keys", "rotate", "nobody"], settings)
      assert.deepStrictEqual([refused.code, refused.stderr], [1, "inferlog: There is no such key\n"])
    }).pipe(Effect.scoped)
  )

  it.effect("reject invalid grants and grace periods", () =>
    Effect.gen(function* () {
      const settings = yield* opened
      const create = ["keys", "create", "--name", "ci"]
      for (const args of [
        [...create, "--scopes", "requests"],
        [...create, "--scopes", ""],
        [...create, "--scopes", "billing:read,billing:read"],
        [...create, "--models", "ocr"],
        [...create, "--monthly-budget", "0"],
        [...create, "--expires", "2020-01-01"],
        [...create, "--expires", "0"],
        [...create, "--expires", "soon"],
        [...create, "--origins", "https://app.example/"],
        ["keys", "rotate", "k", "--grace", "8d"],
        ["keys", "rotate", "k", "--grace", "1"],
        ["keys", "rotate"]
      ]) {
        const { code, stdout } = yield* Inferlog.run(args, settings)
        assert.deepStrictEqual([code, stdout], [2, ""], args.join(" "))
      }
    }).pipe(Effect.scoped)
  )
})
