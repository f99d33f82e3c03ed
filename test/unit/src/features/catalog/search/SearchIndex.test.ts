import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isOneEditApart } from "#src/kernel/text/EditDistance.ts"
import * as Rank from "#src/features/catalog/search/Rank.ts"
import type { Searchable } from "#src/features/catalog/search/SearchIndex.ts"
import * as SearchIndex from "#src/features/catalog/search/SearchIndex.ts"
import { mostWords, queryWords, wordsOf } from "#src/features/catalog/search/Words.ts"
import { grader } from "#src/features/catalog/search/WordMatch.ts"

const item = (name: string, description: string, fields: Partial<Searchable> = {}): Searchable => ({
  name,
  isDeprecated: false,
  recommended: undefined,
  createdAt: 0,
  names: [name, name.split("/")[1] ?? name],
  texts: [name, "", description],
  ...fields
})

const found = (items: ReadonlyArray<Searchable>, query: string): ReadonlyArray<string> => {
  const index = SearchIndex.make(items, (item) => item)
  try {
    return index.search(query).map(({ item }) => item.name)
  } finally {
    index.close()
  }
}

const catalog = [
  item("sandbox/echo", "Gives back what it is given."),
  item("vision/resize", "Scales a picture to a width and a height."),
  item("vision/blurhash", "A few characters that stand for a picture while it loads."),
  item("acme/upscale", "Makes a picture four times as large.", {
    texts: ["acme/upscale", "image hd", "Larger."]
  }),
  item("acme/café-crème", "Ünïcode names in a description, and 日本語.")
]

describe("a search", () => {
  it.each([
    ["a name", "echo", ["sandbox/echo"]],
    ["an endpoint", "sandbox/echo", ["sandbox/echo"]],
    ["another case", "ReSiZe", ["vision/resize"]],
    ["a beginning", "upsc", ["acme/upscale"]],
    ["one letter", "e", ["sandbox/echo"]],
    ["two letters", "re", ["vision/resize"]],
    ["a part of a word", "hash", ["vision/blurhash"]],
    ["a wrong letter", "reside", ["vision/resize"]],
    ["a wrong first letter", "wesize", ["vision/resize"]],
    ["a wrong last letter", "resizw", ["vision/resize"]],
    ["a missing letter", "reize", ["vision/resize"]],
    ["a letter too many", "resizze", ["vision/resize"]],
    ["two letters swapped", "reisze", ["vision/resize"]],
    ["a wrong letter among four", "ecko", ["sandbox/echo"]],
    ["the two in the middle swapped among four", "ehco", ["sandbox/echo"]],
    ["two letters swapped among four", "cehO", ["sandbox/echo"]],
    ["words in another order", "resize vision", ["vision/resize"]],
    ["a word and a misspelled one", "pictur widht", ["vision/resize"]],
    ["missing accents", "cafe", ["acme/café-crème"]],
    ["accents in another form", "cafe\u0301", ["acme/café-crème"]],
    ["words of other scripts", "日本語", ["acme/café-crème"]],
    ["a tag", "hd", ["acme/upscale"]],
    ["an unknown word beside a known one", "blurhash zzzzzz", ["vision/blurhash"]],
    ["two wrong letters", "rasida", []],
    ["a wrong letter among three", "hz", []],
    ["no word", "?! — 🙂", []]
  ])("finds by %s", (_, query, expected) => {
    assert.deepStrictEqual(found(catalog, query), expected)
  })

  it("ranks a name first, then a word, a prefix, a part and a misspelling", () => {
    const items = [
      item("e/1", "fluz"),
      item("d/2", "reflux"),
      item("c/3", "fluxion"),
      item("b/4", "flux"),
      item("a/flux", "anything")
    ]
    assert.deepStrictEqual(found(items, "flux"), ["a/flux", "b/4", "c/3", "d/2", "e/1"])
  })

  it("ranks an exact name before a name that contains it, whatever the curated rank", () => {
    const items = [item("a/flux-pro", "", { recommended: 1 }), item("z/flux", "", { createdAt: 1 })]
    assert.deepStrictEqual(found(items, "Flux"), ["z/flux", "a/flux-pro"])
  })

  it("ranks a name before a tag, and a tag before a description", () => {
    const items = [
      item("a/1", "portrait"),
      item("b/2", "", { texts: ["b/2", "portrait", ""] }),
      item("c/portrait-maker", "")
    ]
    assert.deepStrictEqual(found(items, "portrait"), ["c/portrait-maker", "b/2", "a/1"])
  })

  it("ranks deprecated entries last among equals, then by curated rank, date and name", () => {
    const items = [
      item("a/old", "speech", { isDeprecated: true, recommended: 1, createdAt: 9 }),
      item("d/x", "speech", { createdAt: 1 }),
      item("c/x", "speech", { createdAt: 1 }),
      item("e/x", "speech", { createdAt: 2 }),
      item("f/x", "speech", { recommended: 2 }),
      item("g/x", "speech", { recommended: 1 })
    ]
    assert.deepStrictEqual(found(items, "speech"), ["g/x", "f/x", "e/x", "c/x", "d/x", "a/old"])
  })

  it("finds entries with all words, and otherwise those with most of them", () => {
    const items = [item("a/1", "video caption"), item("b/2", "video"), item("c/3", "video caption speech")]
    assert.deepStrictEqual(found(items, "video caption"), ["a/1", "c/3"])
    assert.deepStrictEqual(found(items, "video caption speech"), ["c/3"])
    assert.deepStrictEqual(found(items, "video caption music"), ["a/1", "c/3"])
  })

  it("uses the first words of a long query, each once", () => {
    const words = Array.from({ length: 50 }, (_, index) => `word${index}`)
    assert.deepStrictEqual(queryWords(["word0", ...words].join(" ")), words.slice(0, mostWords))
  })
})

const letters = fc.string({ unit: fc.constantFrom(..."abcdé日"), minLength: 1, maxLength: 8 })

const text = fc.array(letters, { maxLength: 6 }).map((words) => words.join(" "))

describe("the index", () => {
  it("finds exactly what a full scan finds", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), text, (texts, query) => {
        const items = texts.map((words, index) => item(`x/${index}`, words, { texts: ["", "", words] }))
        const answered = items.map(({ texts }) => {
          const words = wordsOf(texts[2])
          return queryWords(query).filter((asked) => words.some((word) => grader(asked)(word) > 0)).length
        })
        const most = Math.max(1, ...answered)
        const expected = items.filter((_, index) => answered[index] === most).map(({ name }) => name)
        assert.sameMembers([...found(items, query)], expected)
      }),
      { numRuns: 100 }
    )
  })

  it("accepts any text as a query", () => {
    const index = SearchIndex.make(catalog, (item) => item)
    const special = fc.constantFrom(
      '"',
      "'",
      "*",
      "NEAR(a b)",
      "a OR",
      "-",
      "\u0000",
      "^",
      "#",
      ":",
      "\ud800",
      "🙂"
    )
    const character = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point))
    const query = fc.array(fc.oneof(special, character), { maxLength: 40 })
    fc.assert(
      fc.property(query, (parts) => {
        assert.isAtMost(index.search(parts.join("")).length, catalog.length)
      }),
      { numRuns: 100 }
    )
    index.close()
  })
})

/** By definition: every text at one edit from another. */
const editsOf = (word: string): ReadonlySet<string> => {
  const edits = new Set<string>()
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    edits.add(before + after.slice(1))
    if (after.length > 1) edits.add(before + after[1] + after[0] + after.slice(2))
    for (const letter of "abc") {
      edits.add(before + letter + after)
      if (after !== "") edits.add(before + letter + after.slice(1))
    }
  }
  edits.delete(word)
  return edits
}

const abc = fc.string({ unit: fc.constantFrom(..."abc"), maxLength: 6 })

describe("one edit apart", () => {
  it("means one letter inserted, left out, changed or swapped, in either direction", () => {
    fc.assert(
      fc.property(abc, abc, (a, b) => {
        if (a === b) return
        assert.strictEqual(isOneEditApart(a, b), editsOf(a).has(b))
        assert.strictEqual(isOneEditApart(a, b), isOneEditApart(b, a))
      }),
      { numRuns: 1_000 }
    )
    for (const edit of editsOf("abcab")) assert.isTrue(isOneEditApart("abcab", edit), edit)
  })
})

describe("ranks", () => {
  it("are in a total order", () => {
    const rank = fc.record({
      numbers: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }),
      name: fc.constantFrom("a", "b")
    })
    fc.assert(
      fc.property(rank, rank, rank, (a, b, c) => {
        assert.strictEqual(Rank.order(a, b) + Rank.order(b, a), 0)
        assert.strictEqual(Rank.order(a, b) === 0, JSON.stringify(a) === JSON.stringify(b))
        if (Rank.order(a, b) <= 0 && Rank.order(b, c) <= 0) assert.isAtMost(Rank.order(a, c), 0)
      })
    )
  })
})
