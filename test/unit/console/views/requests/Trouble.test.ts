/** Why a request has no output, in words. */
import { assert, describe, it } from "vitest"
import * as Trouble from "#console/views/requests/Trouble.ts"

const upstream = {
  status: 400,
  code: "context_length_exceeded",
  param: "messages",
  type: "invalid_request_error"
}

describe("a request without an output", () => {
  it("shows the status, code, parameter and type that the provider answered", () => {
    const refused = Trouble.of({
      outcome: "failed",
      error: "The provider refused the run with status 400: Too long.",
      details: { code: "REQUEST_FAILED", upstream }
    })
    assert.strictEqual(refused?.message, "The provider refused the run with status 400: Too long.")
    assert.strictEqual(
      refused?.provider,
      "The provider answered with status 400, code context_length_exceeded, parameter messages, type invalid_request_error."
    )
  })

  it("shows only what the provider's error has", () => {
    const saidBy = (upstream: object) =>
      Trouble.of({
        outcome: "provider_failed",
        error: "No.",
        details: { code: "UPSTREAM_FAILURE", upstream }
      })?.provider
    assert.strictEqual(saidBy({ code: "bad_image" }), "The provider answered with code bad_image.")
    assert.strictEqual(saidBy({ status: 404 }), "The provider answered with status 404.")
    assert.isNull(saidBy({}))
  })

  it("shows nothing of a provider that said nothing", () => {
    for (const outcome of ["failed", "provider_failed", "expired", "cancelled"] as const) {
      assert.isNull(Trouble.of({ outcome, error: null })?.provider)
    }
  })

  it("is explained only if something is wrong", () => {
    assert.isNull(Trouble.of({ outcome: "succeeded", error: null }))
    assert.isNull(Trouble.of({ outcome: "pending", error: null }))
    const waits = Trouble.of({
      outcome: "pending",
      error: null,
      waitingFor: "worker",
      waitingReason: "No worker asks for jobs of the model."
    })
    assert.deepInclude(waits, { kind: "warning", message: "No worker asks for jobs of the model." })
  })
})
