/**
 * What a first visit costs: bytes, parts that are left for later, and how still the page stands.
 * @together test/support/console/Shared.ts
 */
import * as fs from "node:fs"
import * as path from "node:path"
import * as zlib from "node:zlib"
import type { Page } from "playwright-core"
import { assert } from "vitest"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"

const assets = path.join(ServerProcess.root, "dist/console/assets")

/** Files of the console that the page has loaded. */
const loaded = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map(({ name }) => /\/console\/assets\/(.+)$/.exec(name)?.[1] ?? "")
      .filter((name) => name !== "")
  )

const textOf = (file: string) => fs.readFileSync(path.join(assets, file))
const sizeOf = (files: ReadonlyArray<string>): number =>
  files.reduce((total, file) => total + zlib.gzipSync(textOf(file)).byteLength, 0)

/** What views may load at first: bytes, compressed with gzip, and files, each of which costs a slow network a round trip. */
const most = { bytes: 250_000, files: 20 }
const mostToSignIn = { bytes: 150_000, files: 6 }

/** Words of libraries that few views need: forms from schemas, their checks, charts, Markdown. */
const heavy = /rjsf|additionalProperties|uplot|mdast/i

consoleTest(
  "a first visit loads little, in few files, without charts, schema forms and Markdown",
  async ({ open }) => {
    for (const [who, at, { bytes, files: count }] of [
      [null, "/sign-in", mostToSignIn],
      ["ada", "", most],
      ["ada", "/requests", most],
      ["operator", "/operate/overview", most]
    ] as const) {
      const files = await loaded(await open(who, at))
      assert.isAbove(files.length, 1)
      assert.isAtMost(files.length, count, at)
      assert.isAtMost(sizeOf(files), bytes, at)
      assert.deepStrictEqual(
        files.filter((file) => heavy.test(String(textOf(file)))),
        [],
        at
      )
    }
  }
)

/** Of `web-vitals`: above it, people notice. */
const mostShift = 0.1

/** The sum of all shifts so far. */
const shift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const values = list.getEntries().map((entry) => ("value" in entry ? Number(entry.value) : 0))
          resolve(values.reduce((total, value) => total + value, 0))
        }).observe({ type: "layout-shift", buffered: true })
        setTimeout(() => resolve(0), 100)
      })
  )

consoleTest("views stand still while they load", async ({ open }) => {
  for (const at of ["", "/requests", "/models"]) {
    assert.isAtMost(await shift(await open("ada", at)), mostShift, at)
  }
})
