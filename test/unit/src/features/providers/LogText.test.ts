import { assert, describe, it } from "@effect/vitest"
import * as LogText from "#src/features/providers/LogText.ts"

const log = [
  "Using seed: 3\n",
  "  0%|          | 0/50 [00:00<?, ?it/s]\r 12%|█▏        | 6/50 [00:01<00:09]\r",
  " 50%|█████     | 25/50 [00:05<00:05]\n",
  "\n",
  "Decoding…\rDecoded\r\n",
  "Writing fi",
  "le"
]

describe("A log that is sent as one text", () => {
  it("only grows, line by line, however much of it arrives", () => {
    const text = log.join("")
    const all = LogText.linesOf(text, true)
    assert.deepStrictEqual(all, ["Using seed: 3", "Decoded", "Writing file"])
    for (let length = 0; length <= text.length; length++) {
      const lines = LogText.linesOf(text.slice(0, length), false)
      assert.deepStrictEqual(lines, all.slice(0, lines.length), `the first ${length} characters`)
    }
  })

  it("reports the progress of its newest bar", () => {
    assert.isNull(LogText.fractionOf(log.slice(0, 1).join("")))
    assert.strictEqual(LogText.fractionOf(log.slice(0, 2).join("")), 0.12)
    assert.strictEqual(LogText.fractionOf(log.join("")), 0.5)
    assert.strictEqual(LogText.fractionOf("999%|█"), 1)
  })
})
