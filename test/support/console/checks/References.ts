/**
 * Pictures of views that their authors have looked at, in `test/release/console/references`. A view that looks different fails its test.
 *
 * Fonts differ between machines, so the browser of tests has one family only (`fonts.conf`), and what differs from run to run is
 * replaced before (`Steady.ts`). What is left, such as smoothing of edges by another release of the browser, is allowed for.
 *
 * `UPDATE_REFERENCES=1 npm run test:release -- Pictures` writes those that are missing or differ.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import pixelmatch from "pixelmatch"
import type { CDPSession, Page } from "playwright-core"
import sharp from "sharp"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as Steady from "./Steady.ts"

const folder = path.join(ServerProcess.root, "test/release/console/references")
const failures = path.join(ServerProcess.root, ".build/console-failures")

/** A pixel differs if its colour does by more than this, from 0 to 1. So many may: a word is more. */
const tolerance = { colour: 0.15, pixels: 60 }

/** CSS pixels. Longer views are cut off. */
const tallest = 2400

/** A file of a few kilobytes: 64 colours are enough for what has no photographs. */
const packed = (png: Buffer) =>
  sharp(png).png({ palette: true, colours: 64, dither: 0, compressionLevel: 9, effort: 10 }).toBuffer()

/** A window that has just got another size is laid out with the next frame. */
const laidOut = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))

const capture = async (page: Page, session: CDPSession): Promise<Buffer> => {
  const { height, isTall, width } = await page.evaluate(() => {
    const { clientHeight, clientWidth, scrollHeight } = document.documentElement
    return { width: clientWidth, height: scrollHeight, isTall: scrollHeight > clientHeight }
  })
  const { data } = await session.send("Page.captureScreenshot", {
    format: "png",
    optimizeForSpeed: true,
    captureBeyondViewport: isTall,
    clip: { x: 0, y: 0, width, height: Math.min(height, tallest), scale: width > 2000 ? 0.5 : 1 }
  })
  return Buffer.from(data, "base64")
}

/** Views are drawn anew now and then, such as when an answer comes. */
const mostDrawings = 10

/** The whole view, held. Wide ones are kept at half their size. */
const shot = async (page: Page, session: CDPSession, varying: Steady.Varying): Promise<Buffer> => {
  for (let count = 0; ; count++) {
    await laidOut(page)
    await Steady.hold(page, varying)
    const png = await capture(page, session)
    if (count === mostDrawings || !(await Steady.hold(page, varying))) return png
  }
}

interface Picture {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

const read = async (png: Buffer | string): Promise<Picture> => {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

const write = ({ data, height, width }: Picture, file: string) =>
  sharp(data, { raw: { width, height, channels: 4 } })
    .png()
    .toFile(file)

/** A difference of each of a pixel's three colours that `tolerance.colour` allows for. */
const near = 24

/** Pixels that may differ, counted fast: most pictures differ by their reduced colours only, which `pixelmatch` looks at one by one. */
const farApart = (before: Picture, now: Picture): number => {
  const [a, b] = [before.data, now.data]
  let count = 0
  for (let at = 0; at < a.length; at += 4) {
    const isFar = (offset: number) => Math.abs((a[at + offset] ?? 0) - (b[at + offset] ?? 0)) > near
    if (isFar(0) || isFar(1) || isFar(2)) count++
  }
  return count
}

/** How many pixels differ. They are marked in `marked`. */
const differing = (before: Picture, now: Picture, marked: Picture): number => {
  const count = farApart(before, now)
  if (count <= tolerance.pixels) return count
  const options = { threshold: tolerance.colour }
  return pixelmatch(before.data, now.data, marked.data, before.width, before.height, options)
}

interface Comparison {
  /** Pixels that differ; `null` for another size. */
  readonly count: number | null
  readonly before: Picture
  readonly now: Picture
  readonly marked: Picture
}

const comparison = async (before: Picture, png: Buffer): Promise<Comparison> => {
  const now = await read(png)
  const marked: Picture = { ...before, data: Buffer.alloc(before.data.length) }
  const isSameSize = before.width === now.width && before.height === now.height
  return { count: isSameSize ? differing(before, now, marked) : null, before, now, marked }
}

const report = async (name: string, { before, count, marked, now }: Comparison) => {
  fs.mkdirSync(failures, { recursive: true })
  await write(now, path.join(failures, `${name}.now.png`))
  await write(marked, path.join(failures, `${name}.differs.png`))
  const sizes = `${before.width} × ${before.height} became ${now.width} × ${now.height}`
  const what = count === null ? `${name}: ${sizes}` : `${count} pixels of ${name} differ`
  return [`${what}; see .build/console-failures/${name}.now.png`]
}

/** Between looks at a view that differs, ms: what it waits for may come late on a busy machine. */
const pauses = [100, 200, 400, 800, 1_600, 3_200]

const isUpdating = process.env["UPDATE_REFERENCES"] !== undefined

const keep = async (file: string, png: Buffer) => {
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(file, await packed(png))
  return []
}

const compareIn = async (page: Page, session: CDPSession, name: string, varying: Steady.Varying) => {
  const file = path.join(folder, `${name}.png`)
  if (!fs.existsSync(file)) {
    if (!isUpdating) return [`${name} has no reference`]
    await delay(pauses.at(-1))
    return keep(file, await shot(page, session, varying))
  }
  const before = await read(file)
  for (let count = 0; ; count++) {
    const png = await shot(page, session, varying)
    const compared = await comparison(before, png)
    if (compared.count !== null && compared.count <= tolerance.pixels) return []
    if (count === pauses.length) return isUpdating ? keep(file, png) : report(name, compared)
    await delay(pauses[count])
  }
}

/** Compares the view with its reference. Returns what is wrong. */
export const compare = async (
  page: Page,
  name: string,
  varying: Steady.Varying
): Promise<ReadonlyArray<string>> => {
  const session = await page.context().newCDPSession(page)
  const problems = await compareIn(page, session, name, varying)
  await session.detach()
  await Steady.release(page)
  return problems
}
