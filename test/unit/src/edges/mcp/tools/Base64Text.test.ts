import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Base64Text from "#src/edges/mcp/tools/files/DataSource.ts"

/** The bytes of all chunks; `null` if they are not base64. */
const decode = (chunks: ReadonlyArray<string>): Buffer | null => {
  const base64 = Base64Text.makeBase64Text()
  const parts = [...chunks.map(base64.push), base64.end()]
  const known = parts.filter((part) => part !== null)
  return known.length < parts.length ? null : Buffer.concat(known)
}

const cut = (text: string, lengths: ReadonlyArray<number>): ReadonlyArray<string> => {
  let from = 0
  const chunks = lengths.map((length) => text.slice(from, (from += length)))
  return [...chunks, text.slice(from)]
}

const forms: ReadonlyArray<(bytes: Buffer) => string> = [
  (bytes) => bytes.toString("base64"),
  (bytes) => bytes.toString("base64").replace(/=*$/, ""),
  (bytes) => bytes.toString("base64url"),
  (bytes) => bytes.toString("base64").replace(/.{5}/g, "$&\r\n")
]

describe("Base64Text", () => {
  it("decodes any form, wherever its chunks end", () => {
    const holds = (bytes: Uint8Array, form: (bytes: Buffer) => string, lengths: ReadonlyArray<number>) => {
      const text = form(Buffer.from(bytes))
      assert.deepStrictEqual(decode(cut(text, lengths)), Buffer.from(bytes), text)
    }
    const lengths = fc.array(fc.nat({ max: 9 }))
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom(...forms), lengths, holds), {
      numRuns: 500
    })
  })

  it.each([
    [["QQ==", "QUJD"]],
    [["QQ=", "=", "="]],
    [["QUJD", "="]],
    [["QUJD", "R"]],
    [["QQ=", ""]],
    [["Q"]],
    [["="]],
    [["QU\u00a0JD"]],
    [["QUJ.D"]]
  ])("rejects %j", (chunks) => {
    assert.isNull(decode(chunks))
  })
})
