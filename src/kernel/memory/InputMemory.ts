/** The memory budgets of inputs: of submits that are being read, and of runs in progress. */
import * as v8 from "node:v8"
import { Config, Context, Effect, Layer, Option, Schema } from "effect"
import * as ByteSize from "#src/kernel/settings/ByteSize.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"
import * as MemoryBudget from "#src/kernel/limits/MemoryBudget.ts"

const SizeText = Schema.String.check(
  Schema.makeFilter((text: string) => (Option.getOrNull(ByteSize.parse(text)) ?? 0) >= smallest, {
    expected: "a size of at least 64MiB, such as 512MiB"
  })
)

/** Large enough for one input of the largest size. */
const smallest = 64 * 1024 * 1024

/** Bytes. */
export const inputMemory = Setting.optional({
  name: "INPUT_MEMORY",
  config: (name) =>
    Config.map(Config.schema(SizeText, name), (text) =>
      Option.getOrElse(ByteSize.parse(text), () => smallest)
    ),
  defaultText: "3/8 of the heap's limit",
  description:
    "the memory for inputs: two thirds for running requests, one third for submits that are being read. An account may use as much of either as remains free",
  accepts: "a size of at least `64MiB`, such as `512MiB` or `4GiB`",
  example: "1GiB"
})

export interface Budgets {
  readonly submits: MemoryBudget.MemoryBudget
  readonly runs: MemoryBudget.MemoryBudget
}

export const make = (bytes: number): Budgets => ({
  submits: MemoryBudget.make(Math.floor(bytes / 3)),
  runs: MemoryBudget.make(Math.floor((bytes * 2) / 3))
})

const usual = () => Math.max(smallest, Math.floor((v8.getHeapStatistics().heap_size_limit * 3) / 8))

/** One per process, because it limits the process's heap. */
export const InputMemory = Context.Reference<Budgets>("inferlog/src/kernel/memory/InputMemory", {
  defaultValue: () => make(usual())
})

export const layer = Layer.effect(
  InputMemory,
  Effect.map(inputMemory.config, (bytes) => make(Option.getOrElse(bytes, usual)))
)
