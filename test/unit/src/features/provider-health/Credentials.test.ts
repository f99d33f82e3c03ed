import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Logger } from "effect"
import * as Credentials from "#src/features/provider-health/Credentials.ts"

describe("The credentials of providers", () => {
  it.effect("are those of the environment; each missing one is named once", () => {
    const logged: Array<string> = []
    const layer = Credentials.layer.pipe(
      Layer.provide([
        ConfigProvider.layer(ConfigProvider.fromUnknown({ GOOD: "s3cret", BLANK: " ", TWO_LINES: "a\nb" })),
        Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      ])
    )
    return Effect.gen(function* () {
      const has = yield* Credentials.HasCredential
      const of = (secretEnv?: string) => has({ name: "gpu", ...(secretEnv !== undefined && { secretEnv }) })
      assert.deepStrictEqual(
        [of(), of("GOOD"), of("BLANK"), of("TWO_LINES"), of("ABSENT"), of("ABSENT")],
        [true, true, false, false, false, false]
      )
      assert.lengthOf(logged, 3)
      assert.include(logged[2], "ABSENT is not set")
    }).pipe(Effect.provide(layer))
  })
})
