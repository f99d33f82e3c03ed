/** `doctor`: checks the settings and what the server needs of its surroundings, and says what to mend. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { CommandError } from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as Check from "./Check.ts"
import * as Addresses from "./checks/Addresses.ts"
import * as Clocks from "./checks/Clocks.ts"
import * as Directory from "./checks/Directory.ts"
import * as Disk from "./checks/Disk.ts"
import * as Limits from "./checks/Limits.ts"
import * as Log from "./checks/Log.ts"
import * as NatsServers from "./checks/NatsServers.ts"
import * as S3Rights from "./checks/S3Rights.ts"
import * as Segments from "./checks/Segments.ts"
import * as Settings from "./checks/Settings.ts"
import * as Versions from "./checks/Versions.ts"

/** In the order of the output. */
const checks: ReadonlyArray<Check.Check> = [
  ...Settings.checks,
  ...Directory.checks,
  ...Disk.checks,
  ...Log.checks,
  Segments.check,
  ...Versions.checks,
  S3Rights.check,
  NatsServers.check,
  Addresses.check,
  Clocks.check,
  ...Limits.checks
]

const examine = Effect.gen(function* () {
  // Alone, because other checks would make the disk look slow.
  const speed = yield* Check.run(Disk.speed)
  return yield* Effect.forEach(
    checks,
    (check) => (check === Disk.speed ? Effect.succeed(speed) : Check.run(check)),
    { concurrency: "unbounded" }
  )
})

const outcomes = { ok: "ok", warning: "WARNING", failed: "FAILED", skipped: "-" }

const rowOf = ({ detail, name, outcome, remedy }: Check.Finding) => [
  name,
  outcomes[outcome],
  remedy === null ? detail : `${detail}. ${remedy}`
]

export const doctor = Command.make(
  "doctor",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const found = yield* examine
    const failures = found.filter(({ outcome }) => outcome === "failed")
    yield* json
      ? Output.printJson({ ok: failures.length === 0, checks: found })
      : Console.log(Output.table(["CHECK", "RESULT", "FOUND"], found.map(rowOf)))
    if (failures.length > 0) {
      return yield* new CommandError({
        message: `Something has to be mended: ${failures.map(({ name }) => name).join(", ")}`
      })
    }
  })
).pipe(
  Command.withDescription(
    "Check settings, data directory, disk, log, versions, S3, NATS, names and certificates, clock and limits, and say what " +
      "to mend. Run it with the settings and the user of the server, while the server runs or before. It changes nothing: " +
      "files and objects that it writes to try the disk and S3 are removed. Exits with 1 if a check fails"
  ),
  Command.withShortDescription("Check settings and surroundings of the server, and say what to mend"),
  Command.withExamples([{ command: "inferlog doctor" }, { command: "inferlog doctor --json" }])
)
