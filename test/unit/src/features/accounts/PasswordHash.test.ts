import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PasswordHash from "#src/features/accounts/PasswordHash.ts"

const cost = { ln: 4, r: 8, p: 1 }

describe("The hash of a password", () => {
  it.effect("follows RFC 7914, section 12", () =>
    Effect.gen(function* () {
      const vector = {
        ln: 10,
        r: 8,
        p: 16,
        salt: Buffer.from("NaCl"),
        hash: Buffer.from("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162", "hex")
      }
      assert.isTrue(yield* PasswordHash.matches("password", vector))
      assert.isFalse(yield* PasswordHash.matches("Password", vector))
    })
  )

  it.effect("is parsed from its text, at any cost", () =>
    Effect.gen(function* () {
      const one = yield* PasswordHash.make("correct horse battery", cost)
      const other = yield* PasswordHash.make("correct horse battery", { ln: 5, r: 4, p: 2 })
      const text = PasswordHash.format(one)
      assert.match(text, /^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
      assert.deepStrictEqual(PasswordHash.parse(text), one)
      assert.deepStrictEqual(PasswordHash.parse(PasswordHash.format(other)), other)
      assert.isTrue(yield* PasswordHash.matches("correct horse battery", other))
      assert.isFalse(one.salt.equals(other.salt))
    })
  )

  it.effect("uses the recommended cost outside tests", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* PasswordHash.ScryptCost, { ln: 15, r: 8, p: 3 })
    })
  )

  it.effect("of an absent password matches nothing", () =>
    Effect.gen(function* () {
      const none = PasswordHash.ofNone(cost)
      for (const text of ["", "correct horse battery"]) {
        assert.isFalse(yield* PasswordHash.matches(text, none))
      }
    })
  )

  it.each([
    "",
    "$scrypt$ln=15,r=8,p=3$abc$def",
    `$argon2id$ln=15,r=8,p=3$${"a".repeat(22)}$${"a".repeat(43)}`,
    `$scrypt$ln=150,r=8,p=3$${"a".repeat(22)}$${"a".repeat(43)}`,
    `$scrypt$ln=15,r=8,p=3$${"a".repeat(22)}$${"a".repeat(43)}\n`
  ])("rejects %j", (text) => {
    assert.isNull(PasswordHash.parse(text))
  })
})
