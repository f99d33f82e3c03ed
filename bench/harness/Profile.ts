/** Shows where the CPU time of our server goes under the load of a row. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Console, Effect } from "effect"
import * as CpuProfile from "./CpuProfile.ts"
import { NodeFlags } from "./NodeFlags.ts"
import * as Program from "./Program.ts"
import * as Progress from "./Progress.ts"
import * as ScratchDirectory from "./ScratchDirectory.ts"
import { BenchFailed, type Row } from "./Subject.ts"

const shownFunctions = 25
const shownPlaces = 12

/** Node names them `CPU.<date>.<time>.<pid>.<thread>.<number>.cpuprofile`; thread 0 is the main one. */
const threadOf = (file: string): number => Number(file.split(".")[4])

const percent = (share: number): string => `${(100 * share).toFixed(1).padStart(5)} %`

const list = (shares: ReadonlyArray<CpuProfile.Share>, count: number): ReadonlyArray<string> =>
  shares.slice(0, count).map(({ name, share }) => `${percent(share)}  ${name}`)

const describe = (thread: number, { busy, functions, places }: CpuProfile.Summary): ReadonlyArray<string> => {
  const title = `${thread === 0 ? "Main thread" : `Worker thread ${thread}`}, busy ${percent(busy).trim()} of the time`
  if (thread !== 0) return [title, ...list(functions, shownPlaces)]
  return [
    title,
    "By place:",
    ...list(places, shownPlaces),
    "By function:",
    ...list(functions, shownFunctions)
  ]
}

/** µs */
const monotonic = Effect.sync(() => Number(process.hrtime.bigint() / 1_000n))

/** Runs only our server under a profiler, and returns the measured window. */
const profiled = Effect.fnUntraced(function* (
  { subjects }: Row,
  { directory, seconds }: { readonly directory: string; readonly seconds: number }
) {
  const ours = subjects.find(({ role }) => role === "ours")
  if (ours === undefined) return yield* new BenchFailed({ reason: "the row has no subject of ours" })
  const { measure } = yield* Effect.provideService(ours.start, NodeFlags, [
    "--cpu-prof",
    `--cpu-prof-dir=${directory}`
  ])
  const from = yield* monotonic
  yield* measure(seconds)
  const window: CpuProfile.Window = { from, to: yield* monotonic }
  return window
}, Effect.scoped)

const folderOf = ({ id, title }: Row): string =>
  `profile-${`${id} ${title}`.toLowerCase().replace(/\W+/g, "-")}`

/** Prints the costs and stores the profiles in `bench/results` for a browser's developer tools. */
export const run = Effect.fnUntraced(function* (row: Row, seconds: number) {
  yield* Progress.say(`${row.id} ${row.title}`)
  const directory = yield* ScratchDirectory.make
  const window = yield* profiled(row, { directory, seconds })
  const folder = path.join(Program.root, "bench/results", folderOf(row))
  fs.rmSync(folder, { recursive: true, force: true })
  fs.cpSync(directory, folder, { recursive: true })
  const files = fs.readdirSync(folder).toSorted((a, b) => threadOf(a) - threadOf(b))
  if (files.length === 0) return yield* new BenchFailed({ reason: "our server wrote no profile" })
  yield* Console.log(
    [
      `${row.id} ${row.title}`,
      ...files.flatMap((file) =>
        describe(
          threadOf(file),
          CpuProfile.summarize(fs.readFileSync(path.join(folder, file), "utf8"), window)
        )
      ),
      ""
    ].join("\n")
  )
  yield* Progress.say(`  profiles: ${folder}`)
}, Effect.scoped)
