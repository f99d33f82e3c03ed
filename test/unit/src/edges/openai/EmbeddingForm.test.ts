import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as EmbeddingForm from "#src/edges/openai/objects/EmbeddingForm.ts"

const base64 = "AAAAPwAAgL8="
const numbers = [0.5, -1]
const answer = (embedding: Json) => ({ data: [{ index: 0, embedding }], usage: null })

describe("The form of embeddings", () => {
  it("is base64 of little-endian float32 or numbers, whichever the provider gave", () => {
    for (const given of [base64, numbers]) {
      assert.deepStrictEqual(EmbeddingForm.answered("base64", answer(given)), answer(base64))
      assert.deepStrictEqual(EmbeddingForm.answered("float", answer(given)), answer(numbers))
    }
  })

  it("is numbers unless the call asks for base64, and nothing else", () => {
    assert.deepStrictEqual(EmbeddingForm.of(undefined), Result.succeed("float"))
    assert.deepStrictEqual(EmbeddingForm.of("base64"), Result.succeed("base64"))
    assert.isTrue(Result.isFailure(EmbeddingForm.of("hex")))
  })
})
