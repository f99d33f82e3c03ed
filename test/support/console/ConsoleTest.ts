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
import { assert, inject, test, type TestOptions } from "vitest"
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
  /** In a profile that a test before has used, so that the browser need not read the console again. For tests that only look. */
  readonly again?: boolean
  /** Further options of the context. */
  readonly context?: BrowserContextOptions
}

export interface Fixtures {
  readonly world: World
  /** Opens a view in a profile of its own, and waits until it is there. `path` is below `/console`; `null` is nobody. */
  readonly open: (who: Person | null, path: string, opening?: Opening) => Promise<Page>
}

/** How long a view may take to appear on a busy machine, ms. */
const longestWait = 30_000

let connected: Promise<Browser> | null = null
const connect = ({ browser }: World) => (connected ??= chromium.connect(browser))

/** Waits until the view has its heading and nothing of it is loading. */
export const settled = async (page: Page): Promise<void> => {
  await page.getByRole("heading", { level: 1 }).first().waitFor()
  const loading = "main [aria-busy=true], main [role=status][aria-label^=Loading]"
  await page.waitForFunction((selector) => document.querySelector(selector) === null, loading)
}

const newContext = async (world: World, who: Person | null, opening: Opening): Promise<BrowserContext> => {
  const browser = await connect(world)
  const context = await browser.newContext({
    viewport: { width: opening.width ?? 1280, height: opening.height ?? 800 },
    colorScheme: opening.theme ?? "light",
    reducedMotion: opening.reducedMotion ?? "reduce",
    locale: "en-US",
    timezoneId: "UTC",
    ...opening.context
  })
  context.setDefaultTimeout(longestWait)
  if (who !== null) await (opening.anew ? signIn : resume)(context, world, who)
  return context
}

/** Profiles that no test uses now, by person. They end with the browser. */
const idle = new Map<Person | null, Array<BrowserContext>>()

/** One window for each profile, because windows of a profile share their size. */
const withIdle = async (world: World, who: Person | null) => {
  const contexts = idle.get(who) ?? []
  idle.set(who, contexts)
  const context = contexts.pop() ?? (await newContext(world, who, {}))
  return { context, giveBack: () => void contexts.push(context) }
}

interface Opened {
  readonly page: Page
  readonly pages: () => ReadonlyArray<Page>
  readonly problems: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

const openIn = async (world: World, who: Person | null, opening: Opening): Promise<Opened> => {
  const isExpected = (problem: string) => opening.expects?.test(problem) ?? false
  if (opening.again) {
    const { context, giveBack } = await withIdle(world, who)
    const page = await context.newPage()
    const problems = Problems.watch(page, world.origin, isExpected)
    return { page, pages: () => [page], problems, close: () => page.close().then(giveBack) }
  }
  const context = await newContext(world, who, opening)
  const problems = Problems.watch(context, world.origin, isExpected)
  const page = await context.newPage()
  return { page, pages: () => context.pages(), problems, close: () => context.close() }
}

/** Where a page of a failed test is kept as a picture. */
const failures = path.join(ServerProcess.root, ".build/console-failures")

const keep = async (name: string, pages: ReadonlyArray<Page>): Promise<void> => {
  for (const [index, page] of pages.entries()) {
    const file = `${name.replaceAll(/\W+/g, "-").slice(0, 80)}-${index + 1}.png`
    await page.screenshot({ path: path.join(failures, file) }).catch(() => {})
  }
}

/** Skipped, with the reason in its name, where there is no browser. Pages of a failed test are kept in `.build/console-failures`. */
export const consoleTest = (
  name: string,
  body: (fixtures: Fixtures) => Promise<void>,
  options: TestOptions = {}
): void => {
  const run = async () => {
    const world = inject("console")
    if (world === null) throw new Error("There is no browser")
    const opened: Array<Opened> = []
    const open: Fixtures["open"] = async (who, path, opening = {}) => {
      const one = await openIn(world, who, opening)
      opened.push(one)
      await one.page.goto(`${world.origin}/console${path}`)
      await settled(one.page)
      return one.page
    }
    const close = () => Promise.all(opened.map((one) => one.close()))
    const problems = () => opened.flatMap((one) => one.problems)
    try {
      await body({ world, open })
      await close()
    } catch (cause) {
      await keep(
        name,
        opened.flatMap((one) => one.pages())
      )
      await close()
      throw problems().length === 0 ? cause : new Error(problems().join("\n"), { cause })
    }
    assert.deepStrictEqual(problems(), [])
  }
  test.skipIf(isMissing)(named(name), { timeout: 120_000, ...options }, run)
}
