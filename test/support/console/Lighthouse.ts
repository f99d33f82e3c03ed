/** `lighthouse.sh` runs it with the path of Lighthouse's module, and the names of views; without names, all are measured. */
import * as url from "node:url"
import { Effect, Schema } from "effect"
import { chromium } from "playwright-core"
import * as Browser from "#test/support/Browser.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { decode } from "./Calls.ts"
import { signIn } from "./ConsoleSession.ts"
import * as FilledServer from "./FilledServer.ts"
import { everyView } from "./Views.ts"

const least = 95

const Report = decode(
  Schema.Struct({
    lhr: Schema.Struct({
      categories: Schema.Record(Schema.String, Schema.Struct({ score: Schema.NullOr(Schema.Number) })),
      audits: Schema.Record(Schema.String, Schema.Struct({ displayValue: Schema.optional(Schema.String) }))
    })
  })
)

const figures = [
  "first-contentful-paint",
  "largest-contentful-paint",
  "total-blocking-time",
  "cumulative-layout-shift",
  "speed-index"
]

const main = Effect.gen(function* () {
  const world = yield* FilledServer.make()
  const profile = yield* TempDirectory.make
  const port = yield* Effect.promise(ServerProcess.freePort)
  const context = yield* Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launchPersistentContext(profile, {
        executablePath: Browser.executable,
        args: [...Browser.flags, `--remote-debugging-port=${port}`]
      })
    ),
    (context) => Effect.promise(() => context.close())
  )
  const { default: lighthouse } = yield* Effect.promise(
    () => import(url.pathToFileURL(process.argv[2] ?? "").href)
  )
  let isGood = true
  const names = process.argv.slice(3)
  const views = everyView.filter(({ name }) => names.length === 0 || names.includes(name))
  for (const { name, path, who } of views) {
    yield* Effect.promise(async () => {
      await context.clearCookies()
      if (who !== null) await signIn(context, world, who)
      const options = {
        port,
        disableStorageReset: true,
        onlyCategories: ["performance", "accessibility", "best-practices"]
      }
      const { lhr } = Report(await lighthouse(`${world.origin}/console${path(world)}`, options))
      const scores = Object.entries(lhr.categories).map(
        ([id, { score }]) => [id, Math.round((score ?? 0) * 100)] as const
      )
      const shown = figures.map((id) => lhr.audits[id]?.displayValue ?? "?")
      process.stdout.write(
        `${name}: ${scores.map(([id, score]) => `${id} ${score}`).join(", ")} (${shown.join(", ")})\n`
      )
      isGood &&= scores.every(([id, score]) => id !== "performance" || score >= least)
    })
  }
  return isGood
}).pipe(Effect.scoped)

process.exitCode = (await Effect.runPromise(main)) ? 0 : 1
