/** A real browser for tests that need one. Without an installed browser these tests are skipped, except in CI. */
import * as fs from "node:fs"
import { Context, Effect, Layer, Scope } from "effect"
import { type Browser, chromium, type Page } from "playwright-core"

/** The first one has no windows: a page costs a quarter there. */
const known = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map(
  (name) => `/usr/bin/${name}`
)
const found = known.find((file) => fs.existsSync(file))

export const executable = found ?? "/usr/bin/chromium"

export const isMissing = found === undefined && process.env["CI"] === undefined

/** The name of a test that needs the browser. A skipped test's name says why and how to install one. */
export const named = (name: string): string =>
  isMissing ? `${name} (needs a browser: apt-get install chromium-headless-shell)` : name

export const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]

/** One browser for all tests of a file, because it starts slowly. It starts only if a test needs it. */
export class RunningBrowser extends Context.Service<RunningBrowser, Effect.Effect<Browser>>()(
  "inferlog/test/RunningBrowser"
) {}

export const layer: Layer.Layer<RunningBrowser> = Layer.effect(
  RunningBrowser,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const launch = Effect.acquireRelease(
      Effect.promise(() => chromium.launch({ executablePath: executable, args: flags })),
      (browser) => Effect.promise(() => browser.close())
    )
    return yield* Effect.cached(Scope.provide(launch, scope))
  })
)

/** An empty page in a profile of its own. Closed with the scope. */
export const openPage = Effect.fnUntraced(function* (viewport: {
  readonly width: number
  readonly height: number
}): Effect.fn.Return<Page, never, RunningBrowser | Scope.Scope> {
  const browser = yield* yield* RunningBrowser
  return yield* Effect.acquireRelease(
    Effect.promise(() => browser.newPage({ viewport })),
    (page) => Effect.promise(() => page.close())
  )
})
