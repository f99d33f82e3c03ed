/** What a subject's process says of its own memory. */
import process from "node:process"
import * as readline from "node:readline"
import * as v8 from "node:v8"
import * as vm from "node:vm"
import { Schema } from "effect"

/** Bytes. */
export const Weight = Schema.TaggedStruct("Weight", {
  /** Of all threads, with what the system shares with others. */
  resident: Schema.Number,
  /** Of the main thread's objects. */
  heap: Schema.Number
})
export type Weight = typeof Weight.Type

/** Collects garbage, and says what is left. */
export const weigh = (): Weight => {
  v8.setFlagsFromString("--expose-gc")
  const collect: () => void = vm.runInNewContext("gc")
  collect()
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { _tag: "Weight", resident: rss, heap: heapUsed }
}

/** Weighs for each line on stdin: one JSON document on a line of stdout. */
export const answerOnStdin = (): void => {
  readline
    .createInterface({ input: process.stdin })
    .on("line", () => process.stdout.write(`${JSON.stringify(weigh())}\n`))
}
