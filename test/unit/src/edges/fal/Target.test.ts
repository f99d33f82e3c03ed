import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Target from "#src/edges/fal/Target.ts"

const refusal = (text: string | undefined, method: Target.Method = "POST") => {
  const parsed = Target.parse(text, method)
  assert.isTrue(Result.isFailure(parsed), JSON.stringify(parsed))
  return Result.isFailure(parsed) ? parsed.failure.status : 0
}

const id = "rq0000000000000000000"

describe("an address of fal", () => {
  it.each([
    ["POST", "https://fal.run/sandbox/echo", { _tag: "Run", endpoint: "sandbox/echo" }],
    ["POST", "https://fal.run/sandbox/echo/", { _tag: "Run", endpoint: "sandbox/echo" }],
    ["POST", "https://fal.run/fal-ai/flux/dev", { _tag: "Run", endpoint: "fal-ai/flux-dev" }],
    ["POST", "https://fal.run/fal-ai/flux/dev/stream", { _tag: "Stream", endpoint: "fal-ai/flux-dev" }],
    ["POST", "https://fal.run/sandbox/stream", { _tag: "Run", endpoint: "sandbox/stream" }],
    [
      "POST",
      "https://queue.fal.run/fal-ai/kling-video/v1.6/pro?fal_webhook=https%3A%2F%2Fa.dev%2Fhook%3Fa%3D1%26b%3D2",
      { _tag: "Submit", endpoint: "fal-ai/kling-video-v1.6-pro", webhook: "https://a.dev/hook?a=1&b=2" }
    ],
    [
      "POST",
      "https://queue.fal.run/sandbox/echo",
      { _tag: "Submit", endpoint: "sandbox/echo", webhook: null }
    ],
    [
      "GET",
      `https://queue.fal.run/fal-ai/flux/requests/${id}/status?logs=1`,
      { _tag: "Status", prefix: "fal-ai/flux", requestId: id, logs: true }
    ],
    [
      "GET",
      `https://queue.fal.run/workflows/fal-ai/flux/requests/${id}/status/stream?logs=0`,
      { _tag: "StatusStream", prefix: "workflows/fal-ai-flux", requestId: id, logs: false }
    ],
    [
      "GET",
      `https://queue.fal.run/sandbox/requests/requests/${id}`,
      { _tag: "Result", prefix: "sandbox/requests", requestId: id }
    ],
    [
      "PUT",
      `https://queue.fal.run/sandbox/echo/requests/${id}/cancel`,
      { _tag: "Cancel", prefix: "sandbox/echo", requestId: id }
    ],
    [
      "POST",
      "https://rest.fal.ai/storage/upload/initiate?storage_type=fal-cdn-v3",
      { _tag: "InitiateUpload" }
    ],
    [
      "POST",
      "https://rest.alpha.fal.ai/storage/upload/initiate-multipart?storage_type=gcs",
      { _tag: "InitiateMultipart" }
    ],
    ["POST", "https://rest.fal.ai/tokens/", { _tag: "Token" }]
  ] as const)("%s %s is translated", (method, text, target) => {
    assert.deepEqual(Target.parse(text, method), Result.succeed(target as Target.Target))
  })

  it("that is missing is refused", () => {
    assert.strictEqual(refusal(undefined), 400)
  })

  it.each([
    "",
    "sandbox/echo",
    "http://queue.fal.run/sandbox/echo",
    "https://example.com/sandbox/echo",
    "https://queue.fal.run.example.com/sandbox/echo",
    "https://example.com/queue.fal.run/sandbox/echo",
    "https://queue.fal.run@example.com/sandbox/echo",
    "https://user:secret@queue.fal.run/sandbox/echo",
    "https://queue.fal.run:8443/sandbox/echo",
    "https://queue.fal.run\\@example.com/sandbox/echo",
    "https://QUEUE.fal.run/sandbox/echo",
    "https://queue.fal.run/sandbox/echo#x",
    "https://169.254.169.254/latest/meta-data",
    "https://__proto__/sandbox/echo",
    "file:///etc/passwd",
    `https://queue.fal.run/sandbox/echo\nhttps://example.com`
  ])("%j is foreign", (text) => {
    assert.strictEqual(refusal(text), 412)
  })

  it.each([
    "https://queue.fal.run/",
    "https://queue.fal.run/sandbox",
    "https://queue.fal.run/sandbox/../admin/keys",
    "https://queue.fal.run/sandbox/%2e%2e/keys",
    "https://queue.fal.run/sandbox/echo/..",
    "https://queue.fal.run/sandbox//echo",
    "https://queue.fal.run/Sandbox/echo",
    "https://queue.fal.run/admin/echo",
    "https://queue.fal.run/compat/fal",
    `https://queue.fal.run/sandbox/${"e".repeat(65)}`,
    `https://queue.fal.run/sandbox/${"e/".repeat(60)}e`,
    "https://fal.run/sandbox",
    "https://rest.fal.ai/storage/upload/../../keys",
    "https://rest.fal.ai/keys"
  ])("%s is unknown", (text) => {
    assert.strictEqual(refusal(text), 404)
  })

  it.each([
    "https://queue.fal.run/sandbox/echo/requests",
    "https://queue.fal.run/sandbox/echo/requests/",
    `https://queue.fal.run/sandbox/echo/requests/${id}/constructor`,
    `https://queue.fal.run/sandbox/echo/requests/${id}/status/more`,
    `https://queue.fal.run/sandbox/../requests/${id}`
  ])("GET %s is unknown", (text) => {
    assert.strictEqual(refusal(text, "GET"), 404)
  })

  it.each([
    ["GET", "https://fal.run/sandbox/echo?value=1"],
    ["PUT", "https://queue.fal.run/sandbox/echo"],
    ["POST", `https://queue.fal.run/sandbox/echo/requests/${id}/status`],
    ["GET", `https://queue.fal.run/sandbox/echo/requests/${id}/cancel`],
    ["GET", "https://rest.fal.ai/tokens/"]
  ] as const)("%s %s has another method", (method, text) => {
    assert.strictEqual(refusal(text, method), 405)
  })

  it.each([
    "https://fal.run/sandbox/echo?value=1",
    "https://queue.fal.run/sandbox/echo?fal_webhook=a&fal_webhook=b",
    "https://queue.fal.run/sandbox/echo?fal_max_queue_length=1"
  ])("%s has an unknown parameter", (text) => {
    assert.strictEqual(refusal(text), 422)
  })

  it("of a realtime connection is refused", () => {
    assert.strictEqual(refusal("https://fal.run/sandbox/echo/realtime"), 501)
  })
})
