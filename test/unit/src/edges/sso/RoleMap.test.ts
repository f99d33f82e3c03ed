import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Result } from "effect"
import * as RoleMap from "#src/edges/sso/RoleMap.ts"
import * as SsoSettings from "#src/edges/sso/SsoSettings.ts"
import { publicUrls } from "#test/support/src/edges/admin/AdministrationLayers.ts"

const roleOf = (map: string, claim: unknown) =>
  Option.getOrNull(RoleMap.roleOf(Result.getOrThrow(RoleMap.parse(map)), claim))

const given = {
  OIDC_ISSUER: "https://id.example.com/realms/main",
  OIDC_CLIENT_ID: "inferlog",
  OIDC_CLIENT_SECRET: "secret-text",
  OIDC_ROLE_MAP: "owner=admins"
}

const read = (env: Readonly<Record<string, string>>) =>
  SsoSettings.read.pipe(
    Effect.provide(publicUrls),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
  )

describe("Roles from claims", () => {
  it("are those of the first entry that fits", () => {
    const map = "operator=ops, owner=a=b,viewer=*"
    assert.strictEqual(roleOf(map, ["a=b", "ops"]), "operator")
    assert.strictEqual(roleOf(map, "a=b"), "owner")
    for (const other of [undefined, null, {}, 1, ["*"], "OPS"])
      assert.strictEqual(roleOf(map, other), "viewer")
    for (const other of [undefined, "*", [["admins"]], { admins: true }, "admin"]) {
      assert.isNull(roleOf("owner=admins", other))
    }
  })

  it("are found inside other claims, and under names with dots", () => {
    const claims = { realm: { roles: ["a"] }, "https://x.test/roles": ["b"], text: "c" }
    assert.deepStrictEqual(RoleMap.claimAt(claims, "realm.roles"), ["a"])
    assert.deepStrictEqual(RoleMap.claimAt(claims, "https://x.test/roles"), ["b"])
    for (const name of [
      "realm.other",
      "text.length",
      "realm.roles.length.x",
      "toString",
      "realm.__proto__"
    ]) {
      assert.isUndefined(RoleMap.claimAt(claims, name), name)
    }
  })

  it("need a map that names roles and values, and no more than viewer for everyone", () => {
    for (const wrong of ["", "admins", "root=admins", "owner=", "viewer=a,", "owner=*"]) {
      assert.isTrue(Result.isFailure(RoleMap.parse(wrong)), wrong)
    }
  })
})

describe("The settings of single sign-on", () => {
  it.effect("are read together or not at all", () =>
    Effect.gen(function* () {
      assert.isNull(yield* read({}))
      assert.strictEqual((yield* read(given))?.adminUrl, "https://api.test")
      for (const name of Object.keys(given)) {
        const { message } = yield* Effect.flip(read({ ...given, [name]: "" }))
        assert.include(message, name)
        assert.notInclude(message, "secret-text")
      }
    })
  )

  it.effect("take plain http for loopback in development only", () =>
    Effect.gen(function* () {
      const loopback = { ...given, OIDC_ISSUER: "http://127.0.0.1:9" }
      const remote = { ...given, OIDC_ISSUER: "http://id.example.com", ALLOW_PRIVATE_TARGETS: "true" }
      for (const wrong of [loopback, remote]) {
        assert.include((yield* Effect.flip(read(wrong))).message, "OIDC_ISSUER")
      }
      assert.isNotNull(yield* read({ ...loopback, ALLOW_PRIVATE_TARGETS: "true" }))
    })
  )
})
