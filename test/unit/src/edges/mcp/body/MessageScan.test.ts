import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Json } from "#domain/CanonicalJson.ts"
import * as MessageScan from "#src/edges/mcp/body/MessageScan.ts"
import * as TextEscapes from "#src/edges/mcp/body/TextEscapes.ts"

const limit = 16
const mostParts = 1_000
const handle = "spooled:AAAAAAAAAAAAAAAAAAAAAA"

/** The result of a message: its text with a handle in place of the long string, and that string. */
const scan = (chunks: ReadonlyArray<Uint8Array>) => {
  const text: Array<Uint8Array> = []
  const long: Array<Uint8Array> = []
  let escapes: ReturnType<typeof TextEscapes.make> | null = null
  let ends = 0
  const isText = (bytes: Uint8Array | null | undefined) => {
    if (bytes === null || bytes === undefined) throw new Error("no escape of JSON")
    long.push(bytes)
  }
  const push = MessageScan.make(
    {
      onText: (bytes) => text.push(bytes),
      onLong: (raw) => {
        if (escapes === null) text.push(Buffer.from(handle))
        escapes ??= TextEscapes.make()
        isText(escapes.push(raw))
      },
      onLongEnd: () => {
        ends++
        isText(escapes?.end())
      }
    },
    { text: limit, parts: mostParts }
  )
  const fault = chunks.map(push).find((fault) => fault !== null) ?? null
  return {
    fault,
    ends,
    text: Buffer.concat(text).toString(),
    long: escapes === null ? null : Buffer.concat(long).toString()
  }
}

const whole = (text: string) => scan([Buffer.from(text)])

/** Written as clients may write it: with white space and unnecessarily escaped characters. */
const write = (json: Json, random: () => number): string => {
  const space = () => " \t\n\r".slice(0, random() % 3)
  const character = (unit: string) => {
    const kind = random() % 4
    if (kind === 0) return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
    if (kind === 1 && unit === "/") return "\\/"
    return /["\\\p{Cc}\p{Cs}]/u.test(unit) ? JSON.stringify(unit).slice(1, -1) : unit
  }
  const string = (text: string) => `"${text.split("").map(character).join("")}"`
  const value = (json: Json): string => {
    if (typeof json === "string") return string(json)
    if (Array.isArray(json)) return `[${json.map((item) => space() + value(item)).join(",")}${space()}]`
    if (typeof json !== "object" || json === null) return JSON.stringify(json)
    const members = Object.entries(json).map(
      ([key, member]) => `${space()}${string(key)}${space()}:${space()}${value(member)}${space()}`
    )
    return `{${members.join(",")}}`
  }
  return space() + value(json) + space()
}

const numbers = (seed: number) => () => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
  return seed >>> 8
}

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "/", "\\", '"', "\n", "é", "€", "\u{1f600}", "\u0000", "{") }),
  fc.string({ unit: "binary", maxLength: 40 })
)

const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("params", "arguments", "data") },
  // After a key that begins with a backslash, JSON.parse takes keys with escapes for it (nodejs/node#63785).
  { weight: 1, arbitrary: text.filter((key) => key !== "__proto__" && !key.startsWith("\\")) }
)

const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    text,
    fc.constantFrom(null, true, 0, -1.5e3),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 4 })
  )
}))

/** With the searched member among others. */
const message: fc.Arbitrary<Json> = fc
  .record({ data: fc.oneof(text, tree), beside: fc.array(fc.dictionary(key, tree), { size: "small" }) })
  .map(({ beside: [inArguments = {}, inParams = {}, inRoot = {}], data }) => ({
    ...inRoot,
    params: { ...inParams, arguments: { ...inArguments, data } }
  }))

const at = (json: unknown, keys: ReadonlyArray<string>): unknown =>
  keys.reduce(
    (json, key) =>
      typeof json === "object" && json !== null && !Array.isArray(json) && Object.hasOwn(json, key)
        ? Reflect.get(json, key)
        : undefined,
    json
  )

const cut = (bytes: Uint8Array, random: () => number): ReadonlyArray<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  const longest = 1 + (random() % 40)
  for (let from = 0; from < bytes.length;) {
    const to = from + 1 + (random() % longest)
    chunks.push(bytes.subarray(from, to))
    from = to
  }
  return chunks
}

describe("MessageScan", () => {
  it("returns every message except its long value, wherever its chunks end", () => {
    let spooled = 0
    const holds = (json: Json, seed: number) => {
      const random = numbers(seed)
      const written = write(json, random)
      const { ends, fault, long, text } = scan(cut(Buffer.from(written), random))
      assert.isNull(fault)
      const original: unknown = JSON.parse(written)
      const data = at(original, ["params", "arguments", "data"])
      if (long === null) {
        assert.strictEqual(text, written)
        assert.isFalse(typeof data === "string" && Buffer.byteLength(data) > limit, "long data stayed")
        return
      }
      spooled++
      assert.strictEqual(ends, 1)
      const scanned: unknown = JSON.parse(text)
      assert.strictEqual(at(scanned, ["params", "arguments", "data"]), handle)
      assert.strictEqual(long, String(data).toWellFormed())
      Reflect.set(Object(at(scanned, ["params", "arguments"])), "data", data)
      assert.deepStrictEqual(scanned, original)
    }
    fc.assert(fc.property(fc.oneof(message, tree), fc.integer(), holds), { numRuns: 600 })
    assert.isAbove(spooled, 50)
  })

  it.each([
    ["a short string", `{"params":{"arguments":{"data":"${"a".repeat(limit)}"}}}`, false],
    ["a long one", `{"params":{"arguments":{"data":"${"a".repeat(limit + 1)}"}}}`, true],
    ["keys with escapes", `{"p\\u0061rams":{"arguments":{"dat\\u0061":"${"a".repeat(99)}"}}}`, true],
    ["another place", `{"params":{"data":"${"a".repeat(99)}"}}`, false],
    ["a deeper position", `{"params":{"arguments":{"data":{"data":"${"a".repeat(99)}"}}}}`, false],
    ["a list", `[{"params":{"arguments":{"data":"${"a".repeat(99)}"}}}]`, false],
    ["a key of that length", `{"params":{"arguments":{"${"data".repeat(99)}":1}}}`, false],
    ["a member after a list", `{"params":{"arguments":{"x":[1,{"y":2}],"data":"${"a".repeat(99)}"}}}`, true]
  ])("extracts the long value: %s", (_case, text, isLong) => {
    assert.strictEqual(whole(text).long !== null, isLong)
  })

  it("reports nesting beyond 128 levels, and ignores brackets in strings", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
    assert.isNull(whole(nested(128)).fault)
    assert.strictEqual(whole(nested(129)).fault, "too_deep")
    assert.isNull(whole(JSON.stringify(nested(500))).fault)
  })

  it("reports too many parts at once, and ignores what looks like parts in strings", () => {
    const elements = (count: number) => `[${Array.from({ length: count }, () => "0").join()}]`
    const empty = (count: number) => `[${Array.from({ length: count }, () => "[]").join()}]`
    for (const text of [elements(mostParts), empty(mostParts), JSON.stringify(elements(9 * mostParts))]) {
      assert.isNull(whole(text).fault)
    }
    for (const text of [
      elements(3 * mostParts),
      empty(2 * mostParts),
      "{".repeat(9) + ",".repeat(3 * mostParts)
    ]) {
      assert.strictEqual(whole(text).fault, "too_many")
    }
  })

  it("reports a control character in data", () => {
    assert.strictEqual(whole(`{"params":{"arguments":{"data":"${"a".repeat(99)}\n"}}}`).fault, "not_json")
  })

  it("reports invalid escapes", () => {
    for (const raw of ["\\x", "\\u12g4", "\\u123"]) {
      const escapes = TextEscapes.make()
      assert.isNull(escapes.push(Buffer.from(raw)) && escapes.end(), raw)
    }
  })
})
