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
  /** In a window that a test before has used, because a new one costs more than most views. For tests that only look. */
  readonly again?: boolean
  /** Further options of the context. */
  readonly context?: BrowserContextOptions
}

export interface Fixtures {
  readonly world: World
  /** Opens a view in a profile of its own, and waits until it is there. `path` is below `/console`; `null` is nobody. */
  readonly open: (who: Person | null, path: string, opening?: Opening) => Promise<Page>
}

/** CSS pixels. */
const usual = { width: 1280, height: 800 }

/** How long a view may take to appear on a busy machine, ms. */
const longestWait = 30_000

let connected: Promise<Browser> | null = null
const connect = ({ browser }: World) => (connected ??= chromium.connect(browser))

/** Waits until the view has its heading and nothing of it is loading. */
const settled = async (page: Page): Promise<void> => {
  await page.getByRole("heading", { level: 1 }).first().waitFor()
  const loading = "main [aria-busy=true], main [role=status][aria-label^=Loading]"
  await page.waitForFunction((selector) => document.querySelector(selector) === null, loading)
}

const newContext = async (world: World, who: Person | null, opening: Opening): Promise<BrowserContext> => {
  const browser = await connect(world)
  const context = await browser.newContext({
    viewport: { width: opening.width ?? usual.width, height: opening.height ?? usual.height },
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

/** Windows that no test uses now, by person, each in a profile of its own. They end with the browser. */
const idle = new Map<Person | null, Array<Page>>()

const reopened = async (world: World, who: Person | null): Promise<Page> => {
  const page = idle.get(who)?.pop()
  if (page === undefined) return (await newContext(world, who, {})).newPage()
  await page.setViewportSize(usual)
  await page.emulateMedia({ colorScheme: "light" })
  return page
}

const giveBack = async (who: Person | null, page: Page): Promise<void> => {
  page.removeAllListeners()
  // Ends streams of the view.
  await page.goto("about:blank")
  idle.set(who, [...(idle.get(who) ?? []), page])
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
    const page = await reopened(world, who)
    const problems = Problems.watch(page, world.origin, isExpected)
    return { page, pages: () => [page], problems, close: () => giveBack(who, page) }
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
