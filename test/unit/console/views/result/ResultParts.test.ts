import { assert, describe, it } from "vitest"
import * as MediaKind from "#console/views/result/MediaKind.ts"
import * as ResultParts from "#console/views/result/ResultParts.ts"

const kinds = (...given: Parameters<typeof ResultParts.of>) =>
  ResultParts.of(...given).map(({ kind }) => kind)

const stored = (path: string, contentType: string): ResultParts.StoredMedia => ({
  path,
  url: `https://media.example/media/x/file`,
  thumbnailUrl: null,
  contentType,
  size: 1_024
})

describe("the parts of an output", () => {
  it("are the stored files with what the output says of them", () => {
    const output = {
      image: { url: "https://media.example/media/x/file", width: 64, height: 48, contentType: "image/png" }
    }
    const [part, ...others] = ResultParts.of(output, null, [stored("/image/url", "image/png")])
    assert.deepStrictEqual(others, [])
    assert.deepInclude(part, {
      kind: "image",
      name: "image",
      width: 64,
      height: 48,
      size: 1_024,
      contentType: "image/png"
    })
  })

  it("are pictures, sound, film and downloads by content type, whatever the URL says", () => {
    const types = ["image/webp", "audio/wav", "video/mp4", "model/gltf-binary", "image/tiff"]
    const output = types.map((_, index) => `https://media.example/${index}`)
    const media = types.map((type, index) => stored(`/${index}`, type))
    assert.deepStrictEqual(kinds(output, null, media), ["image", "audio", "video", "file", "file"])
  })

  it("finds files that are not stored yet by extension, data and schema", () => {
    assert.deepStrictEqual(kinds({ picture: "https://provider.example/a.png?x=1" }, null, []), ["image"])
    assert.deepStrictEqual(kinds("data:audio/wav;base64,UklGRg==", null, []), ["audio"])
    assert.deepStrictEqual(kinds("https://example.com/page", null, []), ["text"])
    assert.deepStrictEqual(kinds("https://example.com/page", { type: "string", format: "uri" }, []), ["file"])
  })

  it("are texts, Markdown where it looks so or the schema says so", () => {
    const text = (output: string, schema: ResultParts.Schema | null = null) =>
      ResultParts.of(output, schema, [])[0]
    assert.deepInclude(text("Once upon a time"), { kind: "text", isMarkdown: false })
    assert.deepInclude(text("# Title\n\nA **bold** claim"), { isMarkdown: true })
    assert.deepInclude(text("plain", { type: "string", contentMediaType: "text/markdown" }), {
      isMarkdown: true
    })
    assert.deepInclude(text(`# Long\n${"x".repeat(200_000)}`), { isMarkdown: false })
  })

  it("are plain texts where the layout of Markdown would hold up the page", () => {
    const markdown = { type: "string", contentMediaType: "text/markdown" }
    const bold = "**bold** "
    const deep = [">".repeat(5_000), "- ".repeat(5_000), "1. ".repeat(5_000)]
    for (const text of deep) {
      assert.deepInclude(ResultParts.of(`${bold}\n${text}`, markdown, [])[0], { isMarkdown: false })
    }
    const began = performance.now()
    ResultParts.of("[".repeat(50_000), null, [])
    assert.isBelow(performance.now() - began, 1_000)
  })

  it("are JSON for dictionaries of many entries, and files whatever their extension is called", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`word${index}`, index]))
    assert.deepStrictEqual(kinds(many, null, []), ["json"])
    assert.deepStrictEqual(kinds("https://example.com/a.constructor", null, []), ["text"])
  })

  it("are tables for lists of flat objects, with the columns of all rows", () => {
    const words = [
      { text: "Hello", confidence: 96 },
      { text: "world", place: 2 }
    ]
    const [part] = ResultParts.of({ words }, null, [])
    assert.deepInclude(part, { kind: "table", name: "words", columns: ["text", "confidence", "place"] })
    assert.deepInclude(ResultParts.of([{ box: { x: 1 } }], null, [])[0], {
      columns: ["box.x"],
      rows: [{ "box.x": 1 }]
    })
    assert.deepStrictEqual(kinds([{ box: [1] }], null, []), ["json"])
  })

  it("are facts beside longer parts, and JSON for what nothing else fits", () => {
    const output = { text: "a\nb", seconds: 2, isFinal: true, vectors: [[0.1, 0.2]], nothing: null }
    assert.deepStrictEqual(kinds(output, null, []), ["text", "facts", "json"])
    assert.deepStrictEqual(kinds([], null, []), ["json"])
    assert.deepStrictEqual(kinds(42, null, []), ["json"])
  })

  it("are what a completion of OpenAI's API says", () => {
    const completion = {
      id: "x",
      choices: [{ index: 0, message: { role: "assistant", content: "Hi" } }],
      usage: { total_tokens: 3 }
    }
    assert.deepStrictEqual(
      ResultParts.of(completion, null, []).map((part) => (part.kind === "text" ? part.text : null)),
      ["Hi"]
    )
  })

  it("finds files below names that JSON pointers escape", () => {
    const media = [stored("/a~1b/~0c", "image/png")]
    assert.deepStrictEqual(kinds({ "a/b": { "~c": "https://media.example/x", size: 1 } }, null, media), [
      "image"
    ])
  })
})

describe("the addresses of files", () => {
  it("are shown from the server's own origins, and from no others", () => {
    const origins = ["https://console.example", "https://media.example"]
    assert.isTrue(MediaKind.isAllowed("https://media.example/media/x/a.png", origins))
    assert.isTrue(MediaKind.isAllowed("data:image/png;base64,AA==", origins))
    assert.isFalse(MediaKind.isAllowed("https://tracker.example/a.png", origins))
    assert.isFalse(MediaKind.isAllowed("javascript:alert(1)", origins))
  })

  it("give the names of downloads", () => {
    assert.strictEqual(MediaKind.fileName("https://media.example/media/x/a%20b.glb", "File"), "a b.glb")
    assert.strictEqual(MediaKind.fileName("data:image/png;base64,AA==", "picture"), "picture")
  })
})
