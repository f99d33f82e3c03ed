import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as FalUrls from "#src/features/providers/fal/FalUrls.ts"
import { Options } from "#src/features/providers/fal/Options.ts"

const base = "https://queue.fal.run"
const app = "fal-ai/flux/dev"
const id = "764cabcf-b745-4b3e-ae38-1200304cf45b"

const named = (response_url: string) =>
  FalUrls.jobIdOf(base, app, { request_id: id, response_url, status_url: "https://evil.test" })

describe("A request's address", () => {
  it("contains only the owner and the app", () => {
    const url = `${base}/fal-ai/flux/requests/${id}`
    assert.strictEqual(FalUrls.request(base, app, id), url)
    assert.strictEqual(named(url), id)
  })

  it("is the one that fal returns, when that is another one at fal", () => {
    const path = `workflows/fal-ai/sdxl-sticker/requests/${id}`
    assert.strictEqual(named(`${base}/${path}`), path)
    assert.strictEqual(FalUrls.request(base, app, path), `${base}/${path}`)
  })

  it("is built when the returned one leads elsewhere, or is more than a path", () => {
    for (const url of [
      `https://evil.test/fal-ai/flux/requests/${id}`,
      `${base}.evil.test/fal-ai/flux/requests/${id}`,
      `${base}@evil.test/requests/${id}`,
      `http://queue.fal.run/other/app/requests/${id}`,
      `${base}/other/../../requests/${id}`,
      `${base}/other/app/requests/${id}?key=1`,
      `${base}/other//requests/${id}`,
      `${base}/`
    ])
      assert.strictEqual(named(url), id, url)
  })

  it("requires an id that is not a path", () => {
    for (const request_id of [undefined, 7, "", "../secrets", "a/b", "a?b", "x".repeat(129)])
      assert.isNull(FalUrls.jobIdOf(base, app, { ...(request_id !== undefined && { request_id }) }))
  })

  it("encodes the callback address as one parameter", () => {
    const url = new URL(FalUrls.submission(base, app, "https://a.test/callbacks/x?y=1&z=2"))
    assert.strictEqual(url.pathname, "/fal-ai/flux/dev")
    assert.deepStrictEqual([...url.searchParams], [["fal_webhook", "https://a.test/callbacks/x?y=1&z=2"]])
    assert.strictEqual(FalUrls.submission(base, app, null), `${base}/${app}`)
  })
})

describe("The options of fal", () => {
  it("accept an owner and an app, with or without a path", () => {
    const isFine = (app: string) => Option.isSome(Schema.decodeUnknownOption(Options)({ app }))
    assert.isTrue(["fal-ai/fast-sdxl", app, "acme/my.app/v1.1/text-to-video"].every(isFine))
    const wrong = [
      "",
      "flux",
      "/fal-ai/flux",
      "fal-ai/flux/",
      "fal-ai//flux",
      "fal-ai/../flux",
      "a/b?c",
      "a/b c"
    ]
    assert.isFalse(wrong.some(isFine))
  })
})
