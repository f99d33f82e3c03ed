/** Shows where CPU time and memory go under the load of a row: in our server, and beside it in the floor. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Console, Effect } from "effect"
import * as Bundle from "./Bundle.ts"
import * as CpuProfile from "./CpuProfile.ts"
import { NodeFlags } from "./NodeFlags.ts"
import * as MemoryProfile from "./MemoryProfile.ts"
import * as Program from "./Program.ts"
import * as Progress from "./Progress.ts"
import * as ScratchDirectory from "./ScratchDirectory.ts"
import { BenchFailed, type Measurement, type Row, type Subject } from "./Subject.ts"

const shownFunctions = 40
/** Places that take less of an operation, in each program, are summed. */
const minPlaceMicros = 0.3

/** Node names them `CPU.<date>.<time>.<pid>.<thread>.<number>.cpuprofile`. */
const threadOf = (file: string): number => Number(file.split(".")[4])

interface Thread extends CpuProfile.Summary {
  /** 0 is the main one. */
  readonly thread: number
}

interface Profiled {
  readonly name: string
  readonly threads: ReadonlyArray<Thread>
  readonly memory: MemoryProfile.Parts
  readonly measurement: Measurement
}

/** µs */
const monotonic = Effect.sync(() => Number(process.hrtime.bigint() / 1_000n))

const measured = (subject: Subject, directory: string, seconds: number) =>
  Effect.gen(function* () {
    const { measure } = yield* subject.start
    const from = yield* monotonic
    const measurement = yield* measure(seconds)
    const window: CpuProfile.Window = { from, to: yield* monotonic }
    return { measurement, window }
  }).pipe(
    Effect.scoped,
    Effect.provideService(NodeFlags, [
      "--cpu-prof",
      `--cpu-prof-dir=${directory}`,
      ...MemoryProfile.flags(directory)
    ])
  )

const profiled = Effect.fnUntraced(function* (subject: Subject, folder: string, seconds: number) {
  const directory = yield* ScratchDirectory.make
  const { measurement, window } = yield* measured(subject, directory, seconds)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.cpSync(directory, folder, { recursive: true })
  const files = fs
    .readdirSync(folder)
    .filter((file) => file.endsWith(".cpuprofile"))
    .toSorted((a, b) => threadOf(a) - threadOf(b))
  if (files.length === 0) return yield* new BenchFailed({ reason: `${subject.name} wrote no profile` })
  const sourceOf = Bundle.sources()
  const threads = files
    .map((file) => ({
      thread: threadOf(file),
      ...CpuProfile.summarize(fs.readFileSync(path.join(folder, file), "utf8"), window, sourceOf)
    }))
    .filter(({ busy }) => busy > 0)
  const { cpuMs, operations } = measurement
  fs.writeFileSync(path.join(folder, "measured.json"), JSON.stringify({ ...window, cpuMs, operations }))
  yield* Progress.say(`  profiles: ${folder}`)
  const memory = MemoryProfile.atPeak(folder, window)
  return { name: subject.name, threads, memory, measurement } satisfies Profiled
}, Effect.scoped)

const perOperation = (micros: number, { measurement }: Profiled) => micros / measurement.operations

const shown = (micros: number) => (micros < 0.05 ? "" : micros.toFixed(1)).padStart(8)

/** A line for each part, with MiB of each program. A program that never yields to its timers has no samples. */
const memoryOf = (programs: ReadonlyArray<Profiled>): ReadonlyArray<string> =>
  [...new Set(programs.flatMap(({ memory }) => [...memory.keys()]))].map((name) => {
    const sizes = programs.map(({ memory }) => (memory.get(name)?.toFixed(0) ?? "-").padStart(8))
    return `${sizes.join("")}  ${name}`
  })

const sum = (times: ReadonlyArray<CpuProfile.Times>): CpuProfile.Times => {
  const total: CpuProfile.Times = new Map()
  for (const one of times) for (const [name, time] of one) total.set(name, (total.get(name) ?? 0) + time)
  return total
}

const placesOf = (profile: Profiled): CpuProfile.Times =>
  new Map(
    Array.from(sum(profile.threads.map(({ places }) => places)), ([name, time]) => [
      name,
      perOperation(time, profile)
    ])
  )

/** A line for each place, with µs of an operation in each program. */
const comparison = (programs: ReadonlyArray<Profiled>): ReadonlyArray<string> => {
  const columns = programs.map(placesOf)
  const names = [...new Set(columns.flatMap((column) => [...column.keys()]))]
  const rows = names.map((name) => ({ name, micros: columns.map((column) => column.get(name) ?? 0) }))
  const isLarge = ({ micros }: (typeof rows)[number]) => Math.max(...micros) >= minPlaceMicros
  const small = rows.filter((row) => !isLarge(row))
  const rest = programs.map((_, index) =>
    small.reduce((total, { micros }) => total + (micros[index] ?? 0), 0)
  )
  const busy = programs.map((profile) =>
    perOperation(
      profile.threads.reduce((total, { busy }) => total + busy, 0),
      profile
    )
  )
  const cpu = programs.map((profile) => perOperation(1_000 * profile.measurement.cpuMs, profile))
  return [
    ...rows
      .filter(isLarge)
      .toSorted((a, b) => Math.max(...b.micros) - Math.max(...a.micros))
      .map(({ micros, name }) => `${micros.map(shown).join("")}  ${name}`),
    `${rest.map(shown).join("")}  smaller ones`,
    `${busy.map(shown).join("")}  all samples`,
    `${cpu.map(shown).join("")}  CPU time, with what no sample sees: reads of sockets, V8's helper threads`
  ]
}

/** The busiest functions of each thread, µs of an operation. */
const functionsOf = (profile: Profiled): ReadonlyArray<string> =>
  profile.threads.flatMap(({ busy, functions, thread }) => [
    `${profile.name}, ${thread === 0 ? "main thread" : `thread ${thread}`}: ${shown(perOperation(busy, profile)).trim()} µs`,
    ...Array.from(functions)
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, shownFunctions)
      .map(([name, time]) => `${shown(perOperation(time, profile))}  ${name}`)
      .filter((line) => !line.startsWith(shown(0)))
  ])

const folderOf = ({ id, title }: Row, { name }: Subject): string =>
  path.join(
    Program.root,
    "bench/results",
    `profile-${`${id} ${title} ${name}`.toLowerCase().replace(/\W+/g, "-")}`
  )

/** The last floor of a row promises the most of what our server promises. */
const subjectsOf = ({ subjects }: Row): ReadonlyArray<Subject> =>
  [subjects.find(({ role }) => role === "ours"), subjects.findLast(({ role }) => role === "floor")].filter(
    (subject) => subject !== undefined
  )

/** Prints the costs and stores the profiles in `bench/results` for a browser's developer tools. */
export const run = Effect.fnUntraced(function* (row: Row, seconds: number) {
  yield* Progress.say(`${row.id} ${row.title}`)
  const programs = yield* Effect.forEach(subjectsOf(row), (subject) =>
    profiled(subject, folderOf(row, subject), seconds)
  )
  yield* Console.log(
    [
      `${row.id} ${row.title}: µs of one of the ${row.unit}, ${programs.map(({ name }) => name).join(" and ")}`,
      ...comparison(programs),
      "MiB at the peak of resident memory:",
      ...memoryOf(programs),
      ...programs.flatMap(functionsOf),
      ""
    ].join("\n")
  )
})
