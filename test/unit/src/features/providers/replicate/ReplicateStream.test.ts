import { assert, describe, it } from "@effect/vitest"
import * as PredictionStream from "#src/features/providers/replicate/PredictionStream.ts"
import * as ReplicateProvider from "#src/features/providers/replicate/ReplicateProvider.ts"
import { streamContract } from "#test/support/src/features/providers/contract/StreamContract.ts"
import * as ReplicateStream from "#test/support/upstreams/streams/Replicate.ts"

streamContract("replicate", { upstream: ReplicateStream.make, provider: ReplicateProvider.make })

describe("The address of a stream", () => {
  const at = (stream: string, base = "https://api.replicate.com/v1") =>
    PredictionStream.urlIn({ urls: { stream } }, base)

  it.each([
    ["https://stream.replicate.com/v1/files/jbxs-a?b", "https://stream.replicate.com/v1/files/jbxs-a?b"],
    ["https://api.replicate.com/v1/streams/1", "https://api.replicate.com/v1/streams/1"],
    ["http://stream.replicate.com/v1", null],
    ["https://replicate.com.example.net/v1", null],
    ["https://169.254.169.254/latest", null],
    ["no address", null]
  ])("%s", (stream, url) => assert.strictEqual(at(stream), url))

  it("is of the binding's own server, unless that is Replicate's", () => {
    const base = "http://10.0.0.7:8000/v1"
    assert.strictEqual(at("http://10.0.0.7:8000/s", base), "http://10.0.0.7:8000/s")
    assert.isNull(at("https://stream.replicate.com/v1", base))
  })
})
