/** `npm run bench`: measures the rows of docs/benchmarks.md on this machine. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Failure from "#src/cli/Failure.ts"
import * as AllRows from "./AllRows.ts"
import * as Cycles from "./harness/Cycles.ts"
import * as Machine from "./harness/Machine.ts"
import * as ProcessTree from "./harness/ProcessTree.ts"
import * as Profile from "./harness/Profile.ts"
import * as Program from "./harness/Program.ts"
import * as Progress from "./harness/Progress.ts"
import * as Report from "./harness/Report.ts"
import * as RowResult from "./harness/Result.ts"
import { BenchFailed, type Row } from "./harness/Subject.ts"

const names = Argument.String("name").pipe(
  Argument.withDescription("An id such as T1, or a word of a title. Without a name, every row"),
  Argument.filter(
    (name) => AllRows.named(name).length > 0,
    () => `One of ${AllRows.rows.map(({ id, title }) => `${id} (${title})`).join(", ")}`
  ),
  Argument.variadic()
)

/** A flag that is off by default. */
const optional = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withoutNegation, Flag.withDefault(false))

const positive = Flag.filter(
  (value: number) => value > 0,
  () => "Expected a number above 0"
)

const flags = {
  peers: optional("peers", "Also measure other products that are installed"),
  cycles: Flag.Int("cycles").pipe(
    Flag.withDescription("Undisturbed cycles to measure"),
    positive,
    Flag.withDefault(5)
  ),
  seconds: Flag.Finite("seconds").pipe(
    Flag.withDescription("Length of each measurement in seconds"),
    positive,
    Flag.withDefault(4)
  ),
  keepDisturbed: optional("keep-disturbed", "Count disturbed cycles: for a quick look, not for results"),
  profile: optional(
    "profile",
    "Show where the CPU time of our server and the floor goes instead of measuring"
  ),
  json: Flag.File("json").pipe(Flag.withDescription("Also write the result to this file"), Flag.optional)
}

const runRow = Effect.fnUntraced(function* (row: Row, options: Cycles.Options) {
  yield* Progress.say(`${row.id} ${row.title}`)
  const measured = yield* Cycles.run(row, options)
  if (measured.cycles.length === 0 && measured.subjects.length > 0)
    return yield* new BenchFailed({ reason: `the machine was not quiet in ${measured.voided} cycles` })
  return RowResult.ofRow(row, measured)
})

const measure = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>, options: Cycles.Options) {
  if (!ProcessTree.isSupported)
    yield* Progress.say("Disturbance, CPU time and memory can only be measured on Linux.")
  const results = yield* Effect.forEach(rows, (row) =>
    Effect.map(Effect.result(runRow(row, options)), (result) => ({ row, result }))
  )
  const run: Report.Run = {
    machine: yield* Machine.read,
    secondsPerMeasurement: options.seconds,
    peers: options.peers,
    rows: results.flatMap(({ result }) => (Result.isSuccess(result) ? [result.success] : [])),
    failed: results.flatMap(({ result, row: { id, title } }) =>
      Result.isFailure(result) ? [{ id, title, reason: result.failure.message }] : []
    )
  }
  return run
})

const folder = path.join(Program.root, "bench/results")

const write = (run: Report.Run, json: Option.Option<string>) =>
  Effect.sync(() => {
    const text = `${JSON.stringify(run, null, 2)}\n`
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, "latest.json"), text)
    fs.writeFileSync(path.join(folder, "latest.md"), Report.markdown(run))
    if (Option.isSome(json)) fs.writeFileSync(json.value, text)
  })

const bench = Command.make(
  "bench",
  { names, ...flags },
  Effect.fnUntraced(function* ({ json, names, profile, ...options }) {
    const rows = names.length === 0 ? AllRows.rows : [...new Set(names.flatMap(AllRows.named))]
    if (profile)
      return yield* Effect.forEach(rows, (row) => Profile.run(row, options.seconds), { discard: true })
    const run = yield* measure(rows, options)
    yield* write(run, json)
    yield* Console.log(Report.markdown(run))
    if (run.failed.length > 0) process.exitCode = 1
  })
).pipe(
  Command.withDescription(
    "Measure our server against minimal programs with the same guarantees, and against other products. " +
      "Writes bench/results/latest.md and latest.json"
  )
)

bench.pipe(
  Command.run({ version: "0" }),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ teardown: Failure.teardown })
)
