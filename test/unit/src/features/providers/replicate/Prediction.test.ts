import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as Prediction from "#src/features/providers/replicate/ReplicateProvider.ts"

const reportOf = (json: JsonObject) => {
  const prediction = Prediction.read({ id: "gm3q", ...json })
  assert.isNotNull(prediction)
  return prediction === null ? null : Prediction.reportOf(prediction)
}

const endOf = (json: JsonObject) => {
  const report = reportOf(json)
  return report?._tag === "Ended" ? report.outcome : null
}

describe("A prediction", () => {
  it("waits, runs and ends according to its status", () => {
    assert.deepStrictEqual(reportOf({ status: "starting", logs: "" }), { _tag: "Waiting" })
    assert.deepStrictEqual(reportOf({ status: "processing", logs: "a\n 25%|██ |" }), {
      _tag: "Running",
      fraction: 0.25,
      logs: ["a"]
    })
    assert.deepStrictEqual(
      reportOf({ status: "succeeded", output: ["https://x.test/1.png"], logs: "a\nb" }),
      {
        _tag: "Ended",
        outcome: { _tag: "Succeeded", output: ["https://x.test/1.png"], delivered: null },
        logs: ["a", "b"]
      }
    )
    assert.deepStrictEqual(endOf({ status: "failed", error: "NSFW content detected" }), {
      _tag: "ModelFailed",
      message: "NSFW content detected"
    })
    assert.strictEqual(endOf({ status: "failed", error: null })?._tag, "ModelFailed")
  })

  it("is stopped when it is canceled, and final when it did not start in time", () => {
    assert.deepStrictEqual(endOf({ status: "canceled" }), { _tag: "Stopped" })
    const outcome = endOf({ status: "aborted" })
    assert.isTrue(outcome?._tag === "ProviderError" && !outcome.retryable)
  })

  it("is lost when its output was deleted, and not when its output is null", () => {
    assert.strictEqual(endOf({ status: "succeeded", output: null, data_removed: true })?._tag, "Lost")
    assert.strictEqual(endOf({ status: "succeeded", output: null, data_removed: false })?._tag, "Succeeded")
  })

  it("is rejected in any other form, especially with a path as its id", () => {
    for (const json of [
      undefined,
      null,
      [],
      {},
      { id: "gm3q" },
      { id: "gm3q", status: "queued" },
      { id: "../account", status: "starting" },
      { id: "", status: "starting" },
      { id: "gm3q", status: "starting", logs: 7 }
    ])
      assert.isNull(Prediction.read(json))
  })
})
