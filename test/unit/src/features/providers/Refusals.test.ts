import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { UpstreamError } from "#domain/UpstreamError.ts"
import { NoAnswer } from "#src/features/providers/NoAnswer.ts"
import { type ProviderAnswer } from "#src/features/providers/ProviderHttp.ts"
import * as ErrorOutcomes from "#src/features/providers/ErrorOutcomes.ts"

const answer = (status: number, headers: ProviderAnswer["headers"] = {}, json?: Json): ProviderAnswer => ({
  status,
  headers,
  json,
  fault: null
})

const limited = (retryAfterMs: number): ProviderOutcome => ({ _tag: "RateLimited", retryAfterMs })
const error = (message: string, retryable: boolean, upstream?: UpstreamError): ProviderOutcome => ({
  _tag: "ProviderError",
  message,
  retryable,
  ...(upstream !== undefined && { upstream })
})

/** Fifteen seconds before the date in the table. */
const now = Date.parse("2026-01-01T00:00:00Z")

const meanings: ReadonlyArray<readonly [string, ProviderAnswer, ProviderOutcome]> = [
  ["429", answer(429), limited(5_000)],
  ["429 with seconds", answer(429, { "retry-after": "7" }), limited(7_000)],
  ["429 with parts of one", answer(429, { "retry-after": "0.5" }), limited(500)],
  ["429 with a date", answer(429, { "retry-after": "Thu, 01 Jan 2026 00:00:15 GMT" }), limited(15_000)],
  [
    "429 with a date that is past",
    answer(429, { "retry-after": "Thu, 01 Jan 2025 00:00:15 GMT" }),
    limited(0)
  ],
  ["429 with what is neither", answer(429, { "retry-after": "soon" }), limited(5_000)],
  ["503 that says when", answer(503, { "retry-after": "2" }), limited(2_000)],
  ["503", answer(503), error("The provider failed with status 503.", true, { status: 503 })],
  [
    "500, of whose words nothing is told",
    answer(500, {}, { error: "at /srv/x.py:7" }),
    error("The provider failed with status 500.", true, { status: 500 })
  ],
  ["408", answer(408), error("The provider asks to try again (status 408).", true, { status: 408 })],
  ["301", answer(301), error("The provider answered with status 301; redirects are not followed.", false)],
  [
    "401, which may tell the credential",
    answer(401, {}, { error: "wrong key sk-1" }),
    error("The provider does not accept the credential (status 401).", false, { status: 401 })
  ],
  [
    "400 without words",
    answer(400),
    error("The provider refused the run with status 400.", false, { status: 400 })
  ],
  [
    "400 with an error",
    answer(400, {}, { error: "too long" }),
    error("The provider refused the run with status 400: too long", false, { status: 400 })
  ],
  [
    "400 with an error of OpenAI's",
    answer(
      400,
      {},
      { error: { message: "too long", code: "context_length_exceeded", param: "messages[0]", type: "a" } }
    ),
    error("The provider refused the run with status 400: too long", false, {
      status: 400,
      code: "context_length_exceeded",
      param: "messages[0]",
      type: "a"
    })
  ],
  [
    "422 of FastAPI's",
    answer(422, {}, { detail: [{ loc: ["body"], msg: "field required" }, { msg: "not a number" }] }),
    error("The provider refused the run with status 422: field required; not a number", false, {
      status: 422
    })
  ],
  ["200, where it is no answer", answer(200), ErrorOutcomes.babble]
]

describe("Refusals", () => {
  it.effect.each(meanings)("%s", ([, given, expected]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      assert.deepStrictEqual(yield* ErrorOutcomes.ofAnswer(given), expected)
    })
  )

  it("truncates the text of a provider, and removes control characters", () => {
    assert.strictEqual(ErrorOutcomes.saidIn("x".repeat(100_000))?.length, 1_000)
    assert.strictEqual(ErrorOutcomes.saidIn("a\u0000\u001b[2Jb\u2028c\nd"), "a [2Jb c\nd")
    assert.isNull(
      ErrorOutcomes.saidIn({ error: { error: { error: { error: { error: { error: "deep" } } } } } })
    )
    assert.isNull(ErrorOutcomes.saidIn({ other: "words" }))
    assert.isNull(ErrorOutcomes.saidIn("  "))
  })

  it("distinguishes a run that was never sent from one whose answer was lost", () => {
    for (const reason of ["connection_refused", "connect_timeout", "dns_error", "tls_error"] as const)
      assert.deepInclude(ErrorOutcomes.ofNoHandOver(new NoAnswer({ reason })), {
        _tag: "Unreachable",
        reason
      })
    for (const reason of ["connection_lost", "timeout"] as const)
      assert.deepInclude(ErrorOutcomes.ofNoHandOver(new NoAnswer({ reason })), { _tag: "ProviderError" })
  })

  it("gives up only on permanent errors", () => {
    assert.deepInclude(ErrorOutcomes.ofNoAnswer(new NoAnswer({ reason: "too_large" })), { retryable: false })
    for (const reason of [
      "connection_refused",
      "connection_lost",
      "timeout",
      "dns_error",
      "tls_error"
    ] as const)
      assert.deepInclude(ErrorOutcomes.ofNoAnswer(new NoAnswer({ reason })), { retryable: true })
  })
})
