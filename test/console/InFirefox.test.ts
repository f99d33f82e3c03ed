/** The way of a first visit in Firefox: sign in, look around. What a browser of another maker may do otherwise. */
import { Effect } from "effect"
import { assert, inject, test } from "vitest"
import * as Firefox from "#test/support/console/Firefox.ts"

test.skipIf(Firefox.isMissing)(Firefox.named("Firefox signs in and shows requests"), async () => {
  const world = inject("console")
  if (world === null) return
  const visit = Effect.gen(function* () {
    const firefox = yield* Firefox.open()
    yield* Effect.promise(async () => {
      await firefox.goto(`${world.origin}/console`)
      await firefox.type("[name=api_key]", world.keys.ada)
      await firefox.press({ role: "button", name: "Sign in" })
      await firefox.press({ role: "link", name: "Requests" })
      await firefox.see({ role: "heading", name: "Requests" })
    })
    assert.deepStrictEqual(firefox.problems(), [])
  })
  await Effect.runPromise(Effect.scoped(visit))
})
