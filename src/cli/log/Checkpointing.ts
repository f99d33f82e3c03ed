/** How `log verify` and `audit` use checkpoints: which one they begin at, and the one that they leave. */
import * as path from "node:path"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as CheckpointFiles from "#src/platform/checkpoints/CheckpointFiles.ts"
import * as CheckpointKey from "#src/platform/checkpoints/CheckpointKey.ts"
import * as Checkpoints from "#src/platform/checkpoints/Checkpoints.ts"
import * as Flags from "#src/cli/Flags.ts"
import { UsageError } from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as Remote from "#src/cli/remote/Remote.ts"

const publicKey = Flag.String("checkpoint-key").pipe(
  Flag.withMetavar("KEY"),
  Flag.withDescription(
    "The public key of checkpoints, for a machine without the master key; no checkpoint is then written"
  ),
  Flag.filterMap(
    (text) => CheckpointKey.PublicKey.makeOption(text),
    () => "Expected the 43 characters that 'log verify' prints"
  ),
  Flag.optional
)

const folder = Flag.String("checkpoints").pipe(
  Flag.withMetavar("FOLDER"),
  Flag.withDescription("Where checkpoints are read and written; by default DATA_DIR/checkpoints"),
  Flag.optional
)

export const flags = {
  incremental: Flags.toggle(
    "incremental",
    "Begin at the newest checkpoint instead of the first event; without one, verify the whole log"
  ),
  checkpoints: folder,
  checkpointKey: publicKey
}

export interface Choice {
  readonly incremental: boolean
  readonly checkpoints: Option.Option<string>
  readonly checkpointKey: Option.Option<CheckpointKey.PublicKey>
}

const keyOf = Effect.fnUntraced(function* (directory: string, given: Option.Option<CheckpointKey.PublicKey>) {
  const own = yield* CheckpointKey.find(directory)
  if (Option.isNone(given) || given.value === own?.publicKey) return own
  return CheckpointKey.ofPublicKey(given.value)
})

/** The checkpoints of the log, newest first. */
export const load = Effect.fn("Checkpointing.load")(function* (choice: Choice) {
  const directory = yield* DataDirectory
  const place: Checkpoints.Place = {
    folder: Option.match(choice.checkpoints, {
      onNone: () => CheckpointFiles.folderIn(directory),
      onSome: (folder) => path.resolve(folder)
    }),
    key: yield* keyOf(directory, choice.checkpointKey),
    log: yield* Checkpoints.identity
  }
  return { place, found: yield* Checkpoints.load(place) }
})

/** Says why an incremental proof is a whole one. */
export const warnOfWhole = (reason: string): Effect.Effect<void> =>
  Effect.logWarning(`--incremental: ${reason}, so the whole log is verified`)

/** Writes a checkpoint. A folder that cannot be written does not change what was proven. */
export const leave = (place: Checkpoints.Place, ended: Checkpoints.Ended) =>
  Checkpoints.write(place, ended).pipe(
    Effect.catchTag("CheckpointUnwritten", (error) => Effect.as(Effect.logWarning(error.message), null))
  )

/** For JSON. */
export const sinceOf = (from: Checkpoints.Found | null) =>
  from && {
    checkpoint: from.name,
    position: from.facts.position,
    events: from.facts.events,
    madeAt: Output.time(from.facts.madeAt),
    whole: { position: from.facts.whole.position, at: Output.time(from.facts.whole.at) }
  }

/** What was not read again. */
const sinceText = ({ facts: { events, whole }, name }: Checkpoints.Found): string =>
  `It began after the checkpoint ${name}: the ${Output.counted(events, "event")} up to there were not read again. ` +
  `The last whole proof was on ${Output.time(whole.at)}, up to position ${whole.position}.`

/** The checkpoint that a proof began at, and the one that it left. */
export const textOf = (
  { key }: Checkpoints.Place,
  from: Checkpoints.Found | null,
  written: Checkpoints.Written | null
): ReadonlyArray<string> => [
  ...(from === null ? [] : [sinceText(from)]),
  written === null
    ? `No checkpoint was written${(key?.sign ?? null) === null ? ": the master key is not here" : ""}.`
    : `Checkpoint: ${written.name}, public key ${written.publicKey}`
]

/** The parameter of a proof elsewhere. */
export const paramOf = (incremental: boolean) => (incremental ? { incremental: "true" } : {})

/** A server elsewhere uses its own checkpoints. */
export const checkElsewhere = Effect.fnUntraced(function* ({ checkpointKey, checkpoints }: Choice) {
  if (Option.isNone(checkpointKey) && Option.isNone(checkpoints)) return
  if (Option.isNone(yield* Remote.target)) return
  return yield* new UsageError({
    message:
      "--checkpoints, --checkpoint-key: do not go with --url, because a server elsewhere uses its own checkpoints"
  })
})
