/**
 * The way of a first visit in Firefox: sign in, make a picture, find its request. What a browser of another maker may do otherwise.
 * @together test/support/console/Shared.ts
 */
import { Effect } from "effect"
import { assert, inject, test } from "vitest"
import * as Firefox from "#test/support/console/Firefox.ts"

test.skipIf(Firefox.isMissing)(
  Firefox.named("Firefox signs in, makes a picture in the playground, and shows its request"),
  async () => {
    const world = inject("console")
    if (world === null) return
    const visit = Effect.gen(function* () {
      const firefox = yield* Firefox.open()
      yield* Effect.promise(async () => {
        await firefox.goto(`${world.origin}/console`)
        await firefox.fill("[name=api_key]", world.keys.ada)
        await firefox.press({ role: "button", name: "Sign in" })
        await firefox.press({ role: "link", name: "Models" })
        await firefox.press({ role: "link", name: "Media" })
        await firefox.fill("#input_color", "teal")
        await firefox.fill("#input_width", "64")
        await firefox.fill("#input_height", "32")
        await firefox.press({ role: "button", name: "Run · about $0.00000204" })
        await firefox.read("$0.000002048")
        assert.strictEqual(await firefox.sizeOf("main img"), "64 × 32")
        await firefox.press({ role: "link", name: "Requests" })
        await firefox.see({ role: "heading", name: "Requests" })
      })
      assert.deepStrictEqual(firefox.problems(), [])
    })
    await Effect.runPromise(Effect.scoped(visit))
  }
)
