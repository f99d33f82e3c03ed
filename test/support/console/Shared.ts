/**
 * Starts the world of the console's tests before the first of them, and ends it after the last: one server process, the receivers of
 * its webhooks, and one Chromium. Tests get it by `inject("console")`, which is `null` where there is no browser.
 */
import * as path from "node:path"
import { Effect, Exit, Scope } from "effect"
import { chromium } from "playwright-core"
import type { TestProject } from "vitest/node"
import * as Browser from "#test/support/Browser.ts"
import * as FilledServer from "./FilledServer.ts"
import type { World } from "./World.ts"

const fonts = { FONTCONFIG_FILE: path.join(import.meta.dirname, "fonts.conf") }

const browser = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launchServer({
      executablePath: Browser.executable,
      args: [...Browser.flags],
      env: { ...process.env, ...fonts }
    })
  ),
  (server) => Effect.promise(() => server.close())
)

/** Both start at the same time. */
const make = Effect.gen(function* () {
  const [world, { wsEndpoint }] = yield* Effect.all(
    [FilledServer.make(), Effect.map(browser, (server) => ({ wsEndpoint: server.wsEndpoint() }))],
    { concurrency: "unbounded" }
  )
  return { ...world, browser: wsEndpoint } satisfies World
})

export default async (project: TestProject) => {
  if (Browser.isMissing) return project.provide("console", null)
  const scope = Scope.makeUnsafe()
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    project.provide("console", await Effect.runPromise(Scope.provide(make, scope)))
  } catch (cause) {
    await close()
    throw cause
  }
  return close
}
