/** Checks of the log in `DATA_DIR` that take no time: its end, and the key of what is sealed in it. */
import { Effect, Option } from "effect"
import { configured, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import * as MasterKeyFile from "#src/kernel/secrets/MasterKeyFile.ts"
import { given } from "#src/kernel/secrets/GivenMasterKey.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import * as OpenLogHead from "#streams/OpenLogHead.ts"
import * as LogEnd from "#streams/sqlite/LogEnd.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as Check from "../Check.ts"
import * as Place from "./Place.ts"

const closed = Check.skipped("DATA_DIR cannot be read: see data-directory")

const head: Check.Check = {
  name: "log-head",
  look: Effect.gen(function* () {
    if ((yield* eventStore.config)._tag === "Nats") return Check.skipped("The log is on NATS: see nats")
    const directory = yield* configured
    if (Place.isClosed(directory)) return closed
    if (!holdsLog(directory)) return Check.skipped("There is no log yet")
    const files = LogFiles.files(directory)
    // First, because a running server writes it after the log.
    const known = yield* OpenLogHead.read(files.head)
    const end = yield* LogEnd.find(files.log)
    if (known === undefined && end > 0) {
      return Check.warning(
        "log.head is missing, so a lost end of the log cannot be detected",
        "Put a copy of it back, or run inferlog log verify --expect with an anchor that is stored elsewhere"
      )
    }
    if (known !== undefined && known.sequence > end) {
      return Check.failed(
        `The log ends at position ${end}, but log.head says ${known.sequence}: acknowledged events are missing`,
        "Restore log.sqlite and log.sqlite-wal from a copy, or continue without them: inferlog log accept-head"
      )
    }
    return Check.ok(`The log ends at position ${end}, as log.head says. inferlog log verify reads all of it`)
  }).pipe(
    Effect.catchTags({
      LogHeadDamaged: () =>
        Effect.succeed(
          Check.failed(
            "log.head is damaged, so missing events could go unnoticed",
            "Restore it from a copy, or continue with the log as it is: inferlog log accept-head"
          )
        ),
      LogUnavailable: ({ message }) =>
        Effect.succeed(
          Check.failed(
            message,
            "Look at owner and mode of log.sqlite; restore it from a copy if it is damaged"
          )
        )
    })
  )
}

const aCopy = "Put a copy of master.key back, or set MASTER_KEY to the key that it held"

const verdicts: Readonly<Record<MasterKeyFile.State, Check.Verdict>> = {
  intact: Check.ok("master.key is intact. Keep a copy of it in another place than the log's"),
  unmade: Check.ok("The server makes master.key at its first start"),
  lost: Check.failed("master.key is missing, and the log holds secrets that are sealed under it", aCopy),
  damaged: Check.failed("master.key is damaged, or cannot be read by this user", aCopy)
}

const key: Check.Check = {
  name: "master-key",
  look: Effect.gen(function* () {
    if (Option.isSome(yield* given)) return Check.ok("MASTER_KEY or MASTER_KEY_FILE is set")
    if ((yield* eventStore.config)._tag === "Sqlite") {
      const directory = yield* configured
      return Place.isClosed(directory) ? closed : verdicts[yield* MasterKeyFile.state(directory)]
    }
    return Check.failed(
      "MASTER_KEY is not set, and nodes that share a log must share it",
      "Set the same 64 hexadecimal digits on every node (openssl rand -hex 32 makes some)"
    )
  })
}

export const checks = [head, key]
