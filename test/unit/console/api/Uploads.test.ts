/** Uploads, with a page that has what a browser gives: `fetch` for calls, `XMLHttpRequest` for bytes. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"

const part = 16 * 1_048_576
const large = new File([new Uint8Array(4 * part + 1)], "poster.png", { type: "image/png" })

interface Put {
  readonly number: number
  readonly size: number
}

/** Parts whose next PUT is answered 503. */
const busy = new Set<number>()
const puts: Array<Put> = []
/** Calls in their order, as `POST /console/api/… {body}`. */
const calls: Array<string> = []
/** PUTs on their way now, and the most that were at once. */
const underWay = { now: 0, most: 0 }
/** Answers no PUT while it is true. */
let isSilent = false

class Request extends EventTarget {
  readonly upload = new EventTarget()
  status = 0
  responseText = ""
  private number = 0

  open(_method: string, url: string) {
    this.number = Number(new URL(url).searchParams.get("part"))
  }

  setRequestHeader() {}

  getResponseHeader(name: string) {
    return name === "etag" ? `"etag-${this.number}"` : null
  }

  send(body: Blob) {
    puts.push({ number: this.number, size: body.size })
    underWay.most = Math.max(underWay.most, ++underWay.now)
    if (!isSilent) setTimeout(() => this.answer(body))
  }

  abort() {
    this.end("abort")
  }

  private answer(body: Blob) {
    this.upload.dispatchEvent(Object.assign(new Event("progress"), { loaded: body.size }))
    this.status = busy.delete(this.number) ? 503 : 200
    this.end("load")
  }

  private end(type: string) {
    underWay.now -= 1
    this.dispatchEvent(new Event(type))
    this.dispatchEvent(new Event("loadend"))
  }
}

const page = "http://page.test/"

const answerOf = (url: string) => {
  const number = new URL(url, page).searchParams.get("partNumber")
  if (number !== null) return { presignedUrl: `http://store.test/put?part=${number}` }
  if (url.endsWith("/complete")) return { fileUrl: "http://store.test/poster.png" }
  return url.endsWith("/initiate")
    ? { file_url: "http://store.test/small.png", upload_url: "http://store.test/put?part=0" }
    : { uploadId: "u-1", uploadKey: "file-1" }
}

const server = async (url: string, { body, method }: { readonly method: string; readonly body?: string }) => {
  calls.push(`${method} ${new URL(url, page).pathname}${body === undefined ? "" : ` ${body}`}`)
  return Response.json(answerOf(url))
}

// The module looks for the path of the console in its page.
vi.stubGlobal("document", { querySelector: () => null, baseURI: page })
const { upload } = await import("#console/api/Uploads.ts")

describe("an upload", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    vi.stubGlobal("XMLHttpRequest", Request)
    vi.stubGlobal("fetch", server)
    puts.length = 0
    calls.length = 0
    underWay.most = 0
    isSilent = false
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it("in parts sends three at once, repeats one that is refused for now, and completes with all", async () => {
    busy.add(2)
    const fractions: Array<number> = []
    const uploading = upload(large, {
      signal: new AbortController().signal,
      onProgress: (fraction) => fractions.push(fraction)
    })
    await vi.advanceTimersByTimeAsync(5_000)
    assert.strictEqual(await uploading, "http://store.test/poster.png")
    const sizes = puts.toSorted((a, b) => a.number - b.number).map(({ number, size }) => [number, size])
    assert.deepStrictEqual(sizes, [
      [1, part],
      [2, part],
      [2, part],
      [3, part],
      [4, part],
      [5, 1]
    ])
    assert.strictEqual(underWay.most, 3)
    assert.strictEqual(fractions.at(-1), 1)
    const completed = calls.at(-1) ?? ""
    assert.match(completed, /^POST \/console\/api\/storage\/upload\/complete /)
    for (const number of [1, 2, 3, 4, 5])
      assert.include(completed, `{"partNumber":${number},"etag":"etag-${number}"}`)
  })

  it("in parts begins none after it was cancelled, and drops those that arrived", async () => {
    isSilent = true
    const ending = new AbortController()
    const uploading = upload(large, { signal: ending.signal, onProgress: () => {} }).catch(
      (error: unknown) => error
    )
    await vi.waitFor(() => assert.lengthOf(puts, 3))
    ending.abort()
    assert.propertyVal(await uploading, "name", "AbortError")
    assert.lengthOf(puts, 3)
    assert.strictEqual(calls.at(-1), "DELETE /console/api/files/file-1")
  })

  it("waits while three other files are on their way", async () => {
    const small = new File(["x"], "small.png", { type: "image/png" })
    const ending = new AbortController()
    const { signal } = new AbortController()
    const all = Array.from({ length: 8 }, (_, index) =>
      upload(small, { signal: index === 7 ? ending.signal : signal, onProgress: () => {} })
    )
    const ends = Promise.allSettled(all)
    ending.abort()
    await vi.advanceTimersByTimeAsync(1_000)
    assert.deepStrictEqual(
      (await ends).map(({ status }) => status),
      [...Array.from({ length: 7 }, () => "fulfilled"), "rejected"]
    )
    assert.lengthOf(puts, 7)
    assert.strictEqual(underWay.most, 3)
  })
})
