import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import { AccountClosed, AccountNotFound } from "#src/features/accounts/AccountErrors.ts"
import { TooManyKeys } from "#src/features/accounts/KeyErrors.ts"
import { UnderWay } from "#src/edges/http/edge/Exchanges.ts"
import * as SignInErrors from "#src/edges/oauth/routes/SignInErrors.ts"
import { InteractionGone } from "#src/edges/oauth/Interactions.ts"
import { NothingGranted, SignInRefused, TooManySignIns } from "#src/edges/oauth/SignIn.ts"
import { TooManyAttempts } from "#src/edges/oauth/AttemptLimit.ts"
import { EventStoreError } from "#streams/EventReader.ts"

const requestId = "rq0000000000000000001"

/** The returned page and the number of log lines. */
const answered = (
  answer: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    Effect.Error<Parameters<typeof SignInErrors.asPages>[0]>
  >
) => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message }) => void lines.push(message))
  return SignInErrors.asPages(answer).pipe(
    Effect.map((response) => {
      const { body, headers, status } = response
      const html = body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : ""
      return { headers, html, status, logged: lines.length }
    }),
    Effect.provideService(UnderWay, {
      correlationId: requestId,
      found: () => {},
      admitted: () => {},
      carries: () => {}
    }),
    Effect.provide(Logger.layer([logger]))
  )
}

const inTheForm: ReadonlyArray<readonly [SignInErrors.Correctable, number, "api_key" | "account"]> = [
  [new SignInRefused(), 403, "api_key"],
  [new NothingGranted(), 403, "api_key"],
  [new TooManySignIns({ retryAfterSeconds: 42 }), 429, "api_key"],
  [new TooManyKeys({ limit: 100 }), 409, "api_key"],
  [new AccountNotFound(), 403, "account"],
  [new AccountClosed(), 403, "account"]
]

describe("errors of a sign-in", () => {
  it.each(inTheForm)("are shown in the form if they can be corrected there: %s", (error, status, field) => {
    const problem = SignInErrors.toSignInError(error, "Key")
    assert.deepInclude(problem, { status, field })
    assert.isTrue(SignInErrors.correctable.includes(error._tag))
    const wait = error._tag === "TooManySignIns" ? { "retry-after": "42" } : {}
    assert.deepStrictEqual(SignInErrors.headersOf(error), wait)
  })

  it("state how long to wait, which scopes help, and the limit of keys", () => {
    const adviceFor = (error: SignInErrors.Correctable) => SignInErrors.toSignInError(error, "Password")
    assert.include(
      adviceFor(new TooManySignIns({ retryAfterSeconds: 42 })).advice,
      "42 seconds, or use an API key"
    )
    const forKey = SignInErrors.toSignInError(new TooManySignIns({ retryAfterSeconds: 42 }), "Key")
    assert.match(forKey.advice, /not valid.* 42 seconds\.$/)
    assert.include(adviceFor(new NothingGranted()).advice, "requests:write, requests:read, files:write")
    assert.include(adviceFor(new TooManyKeys({ limit: 100 })).what, "100 keys")
    assert.include(adviceFor(new SignInRefused()).what, "password")
  })

  it.effect.each([
    [new InteractionGone(), 410, 0],
    [new TooManyAttempts(), 429, 0],
    [SignInErrors.foreignForm, 403, 0],
    [new EventStoreError({ reason: "away" }), 503, 1]
  ] as const)("otherwise have their own page: %s", ([error, status, logged]) =>
    Effect.gen(function* () {
      const page = yield* answered(Effect.fail(error))
      assert.deepInclude(page, { status, logged })
      assert.strictEqual(page.headers["retry-after"], status === 503 ? "5" : undefined)
      assert.match(page.html, /<h1>/)
    })
  )

  it.effect("show only the id under which a defect is logged", () =>
    Effect.gen(function* () {
      const page = yield* answered(Effect.die(new Error("the secret is s3cret")))
      assert.deepInclude(page, { status: 500, logged: 1 })
      assert.include(page.html, requestId)
      assert.notInclude(page.html, "s3cret")
    })
  )
})
