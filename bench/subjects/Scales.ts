/** Memory figures that a subject's process reports about itself. */
import process from "node:process"
import * as readline from "node:readline"
import * as v8 from "node:v8"
import * as vm from "node:vm"
import { Schema } from "effect"

/** Bytes. */
export const Weight = Schema.TaggedStruct("Weight", {
  /** Resident memory of all threads, including shared pages. */
  resident: Schema.Number,
  /** Heap of the main thread. */
  heap: Schema.Number
})
export type Weight = typeof Weight.Type

/** Collects garbage and returns the remaining memory. */
export const weigh = (): Weight => {
  v8.setFlagsFromString("--expose-gc")
  const collect: () => void = vm.runInNewContext("gc")
  collect()
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { _tag: "Weight", resident: rss, heap: heapUsed }
}

/** For each line on stdin, prints the memory as one line of JSON. */
export const answerOnStdin = (): void => {
  readline
    .createInterface({ input: process.stdin })
    .on("line", () => process.stdout.write(`${JSON.stringify(weigh())}\n`))
}
