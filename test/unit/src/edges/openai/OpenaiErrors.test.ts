import { assert, describe, it } from "@effect/vitest"
import * as Money from "#domain/Money.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as LimitErrorAnswers from "#src/edges/http/LimitErrorAnswers.ts"
import * as OpenaiErrors from "#src/edges/openai/OpenaiErrors.ts"

type Shown = Readonly<Record<string, unknown>> & { readonly headers: Readonly<Record<string, string>> }

const shown = (found: ErrorAnswer.ErrorAnswer): Shown => {
  const { body, headers, status } = OpenaiErrors.of(found).toAnswer("call_1")
  const { error } = JSON.parse(body ?? "") as { readonly error: Readonly<Record<string, unknown>> }
  return { status, headers, ...error }
}

describe("Errors of OpenAI's API", () => {
  it("name the first place that is wrong, as OpenAI does", () => {
    const issues = [
      { path: ["messages", 0, "content"], code: "type", message: "must be string" },
      { path: ["n"], code: "maximum", message: "must be <= 8" }
    ]
    assert.deepInclude(shown(ErrorAnswer.invalid(issues)), {
      status: 400,
      type: "invalid_request_error",
      param: "messages[0].content",
      code: "type",
      message: "messages[0].content must be string; n must be <= 8."
    })
    assert.deepInclude(shown(ErrorAnswer.invalid([])), { status: 400, param: null })
  })

  it("are 429 with insufficient_quota, and final, where an account cannot pay", () => {
    const amounts = { required: Money.NanoUsd.make(1n), available: Money.zero }
    const { headers, ...error } = shown(ErrorAnswer.insufficientBalance(amounts))
    assert.deepInclude(error, { status: 429, type: "insufficient_quota", code: "insufficient_quota" })
    assert.strictEqual(headers["x-should-retry"], "false")
  })

  it("are 429 with the time to retry after, where a limit is reached", () => {
    const { headers, ...error } = shown(
      LimitErrorAnswers.tooManyOpenRequests({ limit: 5, retryAfterSeconds: 7 })
    )
    assert.deepInclude(error, { status: 429, type: "requests", code: "rate_limit_exceeded" })
    assert.strictEqual(headers["retry-after"], "7")
    assert.notProperty(headers, "x-should-retry")
  })

  it("keep their status otherwise", () => {
    const cases = [
      [ErrorAnswer.unauthorized, 401, "invalid_request_error", "invalid_api_key"],
      [ErrorAnswer.missingScope("requests:write"), 403, "invalid_request_error", "missing_scope"],
      [ErrorAnswer.bodyTooLarge(1), 413, "invalid_request_error", null],
      [ErrorAnswer.idempotencyKeyReused, 409, "invalid_request_error", "idempotency_key_reused"],
      [ErrorAnswer.unexpected, 500, "server_error", null],
      [ErrorAnswer.unavailable, 503, "server_error", null]
    ] as const
    for (const [found, status, type, code] of cases)
      assert.deepInclude(shown(found), { status, type, code, param: null })
  })
})
