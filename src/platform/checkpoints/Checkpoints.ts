/** The checkpoints of a log: those that may be used, why others may not, and the writing of a new one. */
import { Clock, Effect, Option, Order, Stream } from "effect"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { Mark, Verified } from "#streams/Verify.ts"
import * as Checkpoint from "./Checkpoint.ts"
import * as Files from "./CheckpointFiles.ts"
import type { CheckpointKey } from "./CheckpointKey.ts"
import type { CheckpointKind } from "./CheckpointKind.ts"

/** A checkpoint of this log with a valid signature. */
export interface Found {
  readonly name: string
  readonly facts: Checkpoint.Facts
}

export interface Place {
  /** Absolute. */
  readonly folder: string
  /** `null`: no checkpoint can be checked or signed. */
  readonly key: CheckpointKey | null
  readonly log: Checkpoint.LogIdentity
}

/** The identity of the log that is read. */
export const identity = Effect.gen(function* () {
  const first = yield* Stream.runHead((yield* EventReader).readAll(GlobalPosition.beginning))
  const backend = (yield* ChosenLog.isShared) ? ("nats" as const) : ("sqlite" as const)
  return { backend, first: Option.match(first, { onNone: () => "", onSome: ({ hash }) => hash }) }
})

const check = ({ folder, key, log }: Place, file: Files.CheckpointFile): Checkpoint.Facts | string => {
  if (key === null) return "there is no key to check its signature with"
  const header = Files.readHeader(folder, file.name)
  if (header === null) return "it cannot be read"
  const facts = Checkpoint.parse(header, key.publicKey)
  if (facts === "signature") return `its signature is not by the key ${key.publicKey}`
  if (facts === "damaged") return "it is damaged, or of another release"
  if (facts.kind !== file.kind || facts.position !== file.position) return "its name is that of another one"
  if (facts.log.backend !== log.backend || facts.log.first !== log.first) return "it is of another log"
  return facts
}

/** Warns of a checkpoint that cannot be used. */
export const refuse = (name: string, reason: string): Effect.Effect<void> =>
  Effect.logWarning(`The checkpoint ${name} is not used: ${reason}`)

/** The newest first, and of the same position the one whose last whole proof went further. */
const byAge = Order.combine(
  Order.mapInput(Order.flip(GlobalPosition.order), ({ facts }: Found) => facts.position),
  Order.mapInput(Order.flip(GlobalPosition.order), ({ facts }: Found) => facts.whole.position)
)

/** Usable checkpoints. Warns of the others. */
export const load = Effect.fn("Checkpoints.load")(function* (
  place: Place
): Effect.fn.Return<ReadonlyArray<Found>> {
  const found: Array<Found> = []
  for (const file of Files.list(place.folder)) {
    const facts = check(place, file)
    if (typeof facts === "string") yield* refuse(file.name, facts)
    else found.push({ name: file.name, facts })
  }
  return found.toSorted(byAge)
})

/** The state that an audit has stored. `null` when it is not what was signed. */
export const readState = ({ folder }: Place, { facts, name }: Found): Buffer | null => {
  const bytes = Files.read(folder, name)
  return bytes === null ? null : Checkpoint.stateOf(bytes, facts)
}

const markOf = ({ facts: { digest, hash, position }, name }: Found): Mark => ({
  source: `the checkpoint ${name}`,
  position,
  digest,
  hash
})

/** How a verification begins at `from`, or at the first event. It compares the log with all checkpoints. */
export const startOf = (found: ReadonlyArray<Found>, from: Found | null) => {
  const marks = found.map(markOf)
  const isBefore = ({ position }: Mark) =>
    from !== null && !GlobalPosition.isReached(from.facts.position, position)
  return {
    anchors: marks.filter((mark) => !isBefore(mark)),
    marks: marks.filter(isBefore),
    ...(from && { from: markOf(from) })
  }
}

export interface Written {
  readonly name: string
  readonly publicKey: string
}

export interface Ended {
  readonly kind: CheckpointKind
  /** The checkpoint that the verification began at. */
  readonly from: Found | null
  readonly verified: Verified
  /** Of an audit, compressed. */
  readonly state: { readonly rules: number; readonly bytes: Buffer } | null
}

/** Writes a checkpoint for the end of a verification. `null` without the private key, or for an empty log. */
export const write = Effect.fn("Checkpoints.write")(function* (place: Place, ended: Ended) {
  const { folder, key, log } = place
  const { from, kind, state, verified } = ended
  const { digest, hash, position } = verified
  if (key === null || key.sign === null || hash === "") return null
  const file = { name: Files.nameOf(kind, position), kind, position }
  const written: Written = { name: file.name, publicKey: key.publicKey }
  // Nothing is new.
  if (from?.name === file.name) return written
  const madeAt = yield* Clock.currentTimeMillis
  const events = (from?.facts.events ?? 0) + verified.events
  const whole = from?.facts.whole ?? { position, at: madeAt }
  const facts = {
    format: 1,
    kind,
    release: version,
    madeAt,
    log,
    position,
    digest,
    hash,
    events,
    whole
  } as const
  yield* Files.write(folder, file, Checkpoint.render(facts, key.sign, state))
  return written
})
