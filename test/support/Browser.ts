/** A real browser for what only one can tell. Where none is installed its tests are skipped, but never in CI. */
import * as fs from "node:fs"
import { Context, Effect, Layer, Scope } from "effect"
import { type Browser, chromium, type Page } from "playwright-core"

const executable = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) =>
  fs.existsSync(file)
)

export const isMissing = executable === undefined && process.env["CI"] === undefined

/** The name of a test that needs the browser: where it is skipped the name says why, and what to do about it. */
export const named = (name: string): string =>
  isMissing ? `${name} (needs a browser: apt-get install chromium)` : name

const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]

/** One browser for the tests of a file: to start it takes longer than most of them. Where there is none nobody asks for it. */
export class RunningBrowser extends Context.Service<RunningBrowser, Effect.Effect<Browser>>()(
  "inferlog/test/RunningBrowser"
) {}

export const layer: Layer.Layer<RunningBrowser> = Layer.effect(
  RunningBrowser,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const launch = Effect.acquireRelease(
      Effect.promise(() =>
        chromium.launch({ executablePath: executable ?? "/usr/bin/chromium", args: flags })
      ),
      (browser) => Effect.promise(() => browser.close())
    )
    return yield* Effect.cached(Scope.provide(launch, scope))
  })
)

/** An empty page that shares nothing with others. Closed with the scope. */
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
