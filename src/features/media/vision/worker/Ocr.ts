/** Reads text with tesseract, offline. Its engine runs in a thread below this worker and ends with it. */
import { createRequire } from "node:module"
import * as path from "node:path"
import { createWorker, OEM, PSM, type Word } from "tesseract.js"
import type { ReadTask, Recognized } from "../VisionTask.ts"
import { inspect, prepareForReading } from "./Pictures.ts"

/** Larger pictures are scaled down: beyond this size only the time grows. */
const longestSide = 4_000

const languageFolder = path.join(
  path.dirname(createRequire(import.meta.url).resolve("@tesseract.js-data/eng/package.json")),
  "4.0.0_best_int"
)

const start = async () => {
  const engine = await createWorker("eng", OEM.LSTM_ONLY, {
    langPath: languageFolder,
    gzip: true,
    cacheMethod: "none",
    // The promise reports failures; without this they would be thrown a second time.
    errorHandler: () => {}
  })
  await engine.setParameters({ tessedit_pageseg_mode: PSM.AUTO })
  return engine
}

let engine: ReturnType<typeof start> | null = null

/** Kept for the next picture. */
const warmEngine = () => (engine ??= start())

const wordOf =
  (scale: number) =>
  ({ text, confidence, bbox }: Word): Recognized["words"][number] => {
    const x = Math.round(bbox.x0 * scale)
    const y = Math.round(bbox.y0 * scale)
    const width = Math.round(bbox.x1 * scale) - x
    const height = Math.round(bbox.y1 * scale) - y
    return { text, confidence, box: { x, y, width, height } }
  }

export const read = async ({ input }: ReadTask): Promise<Recognized> => {
  const picture = await inspect(input)
  const copy = await prepareForReading(input, longestSide)
  const recognizer = await warmEngine()
  const { data } = await recognizer.recognize(copy.data, {}, { text: true, blocks: true })
  const words = (data.blocks ?? [])
    .flatMap((block) => block.paragraphs)
    .flatMap((paragraph) => paragraph.lines)
    .flatMap((line) => line.words)
  return {
    text: data.text.trim(),
    confidence: data.confidence,
    words: words.map(wordOf(picture.width / copy.info.width))
  }
}
