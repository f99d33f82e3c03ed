/**
 * Tests of the console in a browser. They share one server, its data (`World`) and one Chromium:
 *
 *     consoleTest("shows what a request cost", async ({ open, world }) => {
 *       const page = await open("ada", `/requests/${world.requests.picture}`)
 *       await page.getByText("$0.001").waitFor()
 *     })
 *
 * A test fails if any of its pages logs an error, violates the policy for contents, gets a 5xx, or calls another server.
 */
import * as path from "node:path"
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page
} from "playwright-core"
import { assert, inject, test } from "vitest"
import { isMissing, named } from "#test/support/Browser.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import { resume, signIn } from "./ConsoleSession.ts"
import * as Problems from "./Problems.ts"
import type { Person, World } from "./World.ts"

interface Opening {
  /** Default: 1280 × 800. */
  readonly width?: number
  readonly height?: number
  readonly theme?: "light" | "dark"
  readonly reducedMotion?: "reduce" | "no-preference"
  /** Problems that the test provokes on purpose. */
  readonly expects?: RegExp
  /** Signs in anew, for tests that end sessions. */
  readonly anew?: boolean
  /** Further options of the context. */
  readonly context?: BrowserContextOptions
}

export interface Fixtures {
  readonly world: World
  /** Opens a view in a profile of its own, and waits until it is there. `path` is below `/console`; `null` is nobody. */
  readonly open: (who: Person | null, path: string, opening?: Opening) => Promise<Page>
}

/** How long a view may take to appear on a busy machine, ms. */
const longestWait = 15_000

let connected: Promise<Browser> | null = null
const connect = ({ browser }: World) => (connected ??= chromium.connect(browser))

/** Waits until the view has its heading and nothing of it is loading. */
export const settled = async (page: Page): Promise<void> => {
  await page.getByRole("heading", { level: 1 }).first().waitFor()
  const loading = "main [aria-busy=true], main [role=status][aria-label^=Loading]"
  await page.waitForFunction((selector) => document.querySelector(selector) === null, loading)
}

const openIn = async (
  world: World,
  context: BrowserContext,
  who: Person | null,
  path: string,
  anew: boolean
) => {
  context.setDefaultTimeout(longestWait)
  if (who !== null) await (anew ? signIn : resume)(context, world, who)
  const page = await context.newPage()
  await page.goto(`${world.origin}/console${path}`)
  await settled(page)
  return page
}

/** Where a page of a failed test is kept as a picture. */
const failures = path.join(ServerProcess.root, ".build/console-failures")

const keep = async (name: string, contexts: ReadonlyArray<BrowserContext>): Promise<void> => {
  const pages = contexts.flatMap((context) => context.pages())
  for (const [index, page] of pages.entries()) {
    const file = `${name.replaceAll(/\W+/g, "-").slice(0, 80)}-${index + 1}.png`
    await page.screenshot({ path: path.join(failures, file) }).catch(() => {})
  }
}

/** Skipped, with the reason in its name, where there is no browser. Pages of a failed test are kept in `.build/console-failures`. */
export const consoleTest = (name: string, body: (fixtures: Fixtures) => Promise<void>): void => {
  const run = async () => {
    const world = inject("console")
    if (world === null) throw new Error("There is no browser")
    const contexts: Array<BrowserContext> = []
    const problems: Array<ReadonlyArray<string>> = []
    const open: Fixtures["open"] = async (who, path, opening = {}) => {
      const context = await (
        await connect(world)
      ).newContext({
        viewport: { width: opening.width ?? 1280, height: opening.height ?? 800 },
        colorScheme: opening.theme ?? "light",
        reducedMotion: opening.reducedMotion ?? "reduce",
        locale: "en-US",
        timezoneId: "UTC",
        ...opening.context
      })
      contexts.push(context)
      const isExpected = (problem: string) => opening.expects?.test(problem) ?? false
      problems.push(Problems.watch(context, world.origin, isExpected))
      return openIn(world, context, who, path, opening.anew ?? false)
    }
    try {
      await body({ world, open })
      await Promise.all(contexts.map((context) => context.close()))
    } catch (cause) {
      await keep(name, contexts)
      await Promise.all(contexts.map((context) => context.close()))
      throw problems.flat().length === 0 ? cause : new Error(problems.flat().join("\n"), { cause })
    }
    assert.deepStrictEqual(problems.flat(), [])
  }
  test.skipIf(isMissing)(named(name), run, 60_000)
}
