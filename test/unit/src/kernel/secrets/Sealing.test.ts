import * as crypto from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Sealing from "#src/kernel/secrets/Sealing.ts"

const key = crypto.createHash("sha256").update("a key").digest()
const seal: Sealing.Seal = { key, context: "acc_0123456789abcdef" }
const secret = crypto.createHash("sha256").update("a secret").digest()

const expectUnopenable = (seal: Sealing.Seal, text: string) => {
  const opened = Sealing.open(seal, text)
  if (Result.isSuccess(opened)) return assert.fail(`it opens: ${text}`)
  assert.strictEqual(opened.failure._tag, "Unopenable")
  assert.notInclude(JSON.stringify(opened.failure), secret.toString("base64"))
}

describe("A sealed secret", () => {
  it("is opened with its own key and context", () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from([0]), secret, crypto.randomBytes(5_000)]) {
      assert.deepStrictEqual(Result.getOrThrow(Sealing.open(seal, Sealing.seal(seal, bytes))), bytes)
    }
  })

  it("is a different text each time, without the secret", () => {
    const texts = Array.from({ length: 100 }, () => Sealing.seal(seal, secret))
    assert.strictEqual(new Set(texts.map((text) => text.split(".")[1])).size, 100)
    for (const text of texts) {
      assert.match(text, /^v1\.[\w-]{16}\.[\w-]{64}$/)
      assert.notInclude(text, secret.toString("base64url"))
    }
  })

  it("is not opened with another key, or in another context", () => {
    const text = Sealing.seal(seal, secret)
    expectUnopenable({ ...seal, key: crypto.randomBytes(32) }, text)
    for (const context of ["", "acc_0123456789abcdee", "acc_0123456789abcdef "]) {
      expectUnopenable({ ...seal, context }, text)
    }
  })

  it("is not opened when a character was changed, added or lost", () => {
    // Its last character has unused bits.
    const text = Sealing.seal(seal, secret.subarray(0, 24))
    const next = (character = "") => String.fromCharCode(character.charCodeAt(0) + 1)
    for (let at = 0; at < text.length; at++) {
      for (const other of ["A", "B", "-", ".", "=", "\n", next(text[at])]) {
        if (other !== text[at]) expectUnopenable(seal, text.slice(0, at) + other + text.slice(at + 1))
      }
      expectUnopenable(seal, text.slice(0, at))
      expectUnopenable(seal, text.slice(0, at) + text.slice(at + 1))
      expectUnopenable(seal, text.slice(0, at) + "A" + text.slice(at))
    }
    for (const other of ["", "v1", "v1..", `v2${text.slice(2)}`, `${text}\n`, ` ${text}`, "null"]) {
      expectUnopenable(seal, other)
    }
  })
})
