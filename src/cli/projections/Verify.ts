/** `projections rebuild --verify`: compares the rows in use with rows built from the log. */
import { Clock, Console, Effect, Predicate } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import type { Difference, Row } from "#projections/rebuild/Differences.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as Verification from "#projections/rebuild/Verification.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as ProgressLine from "#src/cli/ProgressLine.ts"
import * as Statuses from "./Statuses.ts"

/** The JSON output for one projection. */
interface Report extends Omit<Verification.Verdict, "projection"> {
  readonly name: string
  readonly version: number
  /** Number of events that the rows do not include yet. */
  readonly behind: number
  /** Why the projection of the running server has stopped; `null` when it runs. */
  readonly stopped: string | null
}

export const run = Effect.fnUntraced(function* (names: ReadonlyArray<string>, json: boolean) {
  const { projections: statuses } = yield* Statuses.read
  const start = yield* Clock.currentTimeMillis
  const { events, verdicts } = yield* verified(names)
  const elapsedMs = (yield* Clock.currentTimeMillis) - start
  const head = GlobalPosition.sequence(yield* (yield* EventReader).head)
  const reports = verdicts.map(({ projection: { name, version }, ...verdict }): Report => ({
    name,
    version,
    ...verdict,
    behind: Math.max(head - GlobalPosition.sequence(verdict.position), 0),
    stopped: statuses.find((status) => status.name === name)?.reason ?? null
  }))
  const ok = reports.every(({ result }) => result === "equal")
  yield* json
    ? Output.printJson({ ok, events, elapsedMs, projections: reports })
    : Console.log(`${text(reports)}\n\n${summary(reports, events, elapsedMs)}`)
  if (!ok) return yield* failure(reports)
}, Effect.scoped)

const verified = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const base = Generations.baseIn(yield* DataDirectory)
  const head = yield* (yield* EventReader).head
  const building = yield* ProgressLine.make(GlobalPosition.sequence(head))
  const comparing = yield* ProgressLine.make(null, "rows")
  let events = 0
  const verdicts = yield* Verification.run({
    base,
    projections: allProjections.filter(({ name }) => names.includes(name)),
    onBuilt: (read) => building.report((events = read)),
    onCompared: comparing.report
  }).pipe(Effect.ensuring(Effect.andThen(building.clear, comparing.clear)))
  return { events, verdicts }
})

/** Some rows in use differ from the rows built from the log, or could not be compared. */
const failure = (reports: ReadonlyArray<Report>): CommandError => {
  const namesOf = (results: ReadonlyArray<Report["result"]>) =>
    reports.filter(({ result }) => results.includes(result)).map(({ name }) => name)
  const different = namesOf(["different"])
  const notBuilt = namesOf(["not built", "other version"])
  const sentences = [
    different.length > 0 &&
      `Rows in use differ from the log: 'projections rebuild ${different.join(" ")}' rebuilds them`,
    notBuilt.length > 0 &&
      `This release has no rows to verify for ${notBuilt.join(", ")}: the next server builds them`
  ]
  return new CommandError({ message: sentences.filter(Predicate.isString).join(". ") })
}

const summary = (reports: ReadonlyArray<Report>, events: number, elapsedMs: number): string => {
  const rows = Output.counted(
    reports.reduce((sum, { rows }) => sum + rows, 0),
    "row"
  )
  const sources = Output.counted(events, "event")
  return `Compared ${rows} with those that ${sources} produce, in ${Output.duration(elapsedMs)}.`
}

const text = (reports: ReadonlyArray<Report>): string =>
  [
    Output.table(
      ["NAME", "VERSION", "POSITION", "BEHIND", "ROWS", "RESULT"],
      reports.map(({ behind, name, position, result, rows, stopped, version }) => [
        name,
        String(version),
        position,
        Output.count(behind),
        Output.count(rows),
        stopped === null ? result : `${result}; stopped: ${stopped}`
      ])
    ),
    ...reports.flatMap(({ difference, name }) =>
      difference === null ? [] : [`\n${Output.printableLines(differenceText(name, difference))}`]
    )
  ].join("\n")

const titles: Record<Difference["kind"], string> = {
  checkpoint: "its checkpoint names an event that is not on the log",
  schema: "its schema differs from the schema of this release",
  integrity: "is damaged in the file",
  row: "first row that differs"
}

const differenceText = (name: string, { expected, key, kind, stored, table }: Difference): string =>
  [
    `${name}: ${table}: ${titles[kind]}`,
    ...(Object.keys(key).length === 0 ? [] : [`  key       ${JSON.stringify(key)}`]),
    `  in use    ${rowText(stored)}`,
    `  expected  ${rowText(expected)}`
  ].join("\n")

const rowText = (row: Row | null): string => (row === null ? "none" : JSON.stringify(row))
