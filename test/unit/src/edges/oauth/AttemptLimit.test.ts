import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SignInRefused } from "#src/edges/oauth/SignIn.ts"
import * as AttemptLimit from "#src/edges/oauth/AttemptLimit.ts"

it.effect("an authorization has ten attempts, even concurrent ones, separately from others", () =>
  Effect.gen(function* () {
    const limited = AttemptLimit.make()
    const end = yield* Deferred.make<void>()
    let begun = 0
    const wrong = Effect.suspend(() => {
      begun++
      return Effect.andThen(Deferred.await(end), new SignInRefused())
    })
    const fibers = yield* Effect.replicateEffect(
      Effect.forkChild(Effect.flip(limited("one")(wrong)), { startImmediately: true }),
      12
    )
    assert.strictEqual(begun, AttemptLimit.most)
    yield* Deferred.succeed(end, undefined)
    const tags = (yield* Effect.forEach(fibers, Fiber.join)).map(({ _tag }) => _tag)
    assert.lengthOf(
      tags.filter((tag) => tag === "TooManyAttempts"),
      2
    )
    assert.strictEqual((yield* Effect.flip(limited("one")(Effect.void)))._tag, "TooManyAttempts")
    yield* limited("another")(Effect.void)
  })
)

it.effect("an attempt that is right, or that could not be checked, is given back", () =>
  Effect.gen(function* () {
    const limited = AttemptLimit.make()
    const attempt = limited("one")
    for (let count = 0; count < 3 * AttemptLimit.most; count++) {
      yield* attempt(Effect.void)
      yield* Effect.flip(attempt(Effect.fail({ _tag: "EventStoreError" })))
    }
    yield* attempt(Effect.void)
  })
)
