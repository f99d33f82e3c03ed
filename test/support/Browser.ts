/** A real browser for what only one can tell. Where none is installed its tests are skipped, but never in CI. */
import * as fs from "node:fs"
import { Effect, type Scope } from "effect"
import { type Browser, chromium } from "playwright-core"

const executable = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) =>
  fs.existsSync(file)
)

export const isMissing = executable === undefined && process.env["CI"] === undefined

/** The name of a test that needs the browser: where it is skipped the name says why, and what to do about it. */
export const named = (name: string): string =>
  isMissing ? `${name} (needs a browser: apt-get install chromium)` : name

const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]

/** Closed with the scope. */
export const launch: Effect.Effect<Browser, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => chromium.launch({ executablePath: executable ?? "/usr/bin/chromium", args: flags })),
  (browser) => Effect.promise(() => browser.close())
)
