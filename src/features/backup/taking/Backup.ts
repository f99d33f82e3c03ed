/**
 * Takes a backup: a base at first, and then only what is new. Pieces are written and read back before the manifest names
 * them, so after a crash at any step the old manifest is still true.
 */
import { Clock, Effect } from "effect"
import { type BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { Anchor } from "#streams/Verify.ts"
import * as TailRead from "#streams/TailRead.ts"
import * as ReleaseFile from "#src/kernel/disk/ReleaseFile.ts"
import * as DataFormat from "#src/kernel/program/DataFormat.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { OtherLog, TargetInUse } from "../BackupError.ts"
import * as Inventories from "../format/Inventories.ts"
import type { ArchivedSegment } from "../format/Manifest.ts"
import * as Manifest from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"
import type { BackupTarget } from "../target/BackupTarget.ts"
import { TargetFault } from "../target/TargetFault.ts"
import * as ArchivedSegments from "./ArchivedSegments.ts"
import * as AssistantClients from "./AssistantClients.ts"
import * as Base from "./Base.ts"
import * as Compaction from "./Compaction.ts"
import * as CopiedCheckpoints from "./CopiedCheckpoints.ts"
import * as InstallationKeys from "./InstallationKeys.ts"
import * as Leftovers from "./Leftovers.ts"
import * as RetiredBlobs from "./RetiredBlobs.ts"
import * as Tail from "./Tail.ts"

export interface BackupOptions {
  readonly target: BackupTarget
  /** The blob store of the log. */
  readonly blobs: BlobStore["Service"]
  /** The data directory of a log in SQLite; `null` for a log on NATS. */
  readonly directory: string | null
  /** The data directory of this node, also with the log on NATS. It may be missing then. */
  readonly dataDirectory: string
  /** Heads of the log that were read before the log itself. */
  readonly anchors: ReadonlyArray<Anchor>
  /** Starts a new generation even if the target has one. */
  readonly isFull: boolean
  /** Generations that stay. */
  readonly keep: number
  readonly keys: InstallationKeys.GivenKeys
  /** A new unique id. */
  readonly id: string
  /** Whether this process has taken a backup to the target before. Then one without a manifest is away, not new. */
  readonly isContinued: boolean
}

export interface Report {
  readonly kind: "base" | "increment" | "unchanged"
  /** Events that this call added. */
  readonly events: number
  /** Stored bytes that this call added. */
  readonly bytes: number
  readonly blobs: number
  /** Blobs that the log names and the blob store does not have. */
  readonly missingBlobs: number
  /** Blobs that this call removed from the target, because no base needs them any more. */
  readonly removedBlobs: number
  readonly end: Manifest.Moment
  readonly hasKeys: boolean
}

const bytesOf = (pieces: ReadonlyArray<{ readonly size: number }>) =>
  pieces.reduce((sum, { size }) => sum + size, 0)

const away = "its manifest is gone. Is its disk mounted?"
const isAway = new BlobStoreError({
  reason: away,
  cause: new TargetFault({ reason: away, isFull: false, cause: null })
})

const otherEvent = (reason: string) => new OtherLog({ reason })

/** The last event of the backup must be on the log. Its hash covers its stream, and the digest the rest (`Tail`). */
const checkSame = Effect.fnUntraced(function* ({ hash, position }: Manifest.Moment) {
  if (position === GlobalPosition.beginning) return
  const head = yield* (yield* EventReader).head
  if (!GlobalPosition.isReached(position, head)) {
    return yield* otherEvent(`it ends at position ${position}, and this log at ${head}`)
  }
  const found = yield* TailRead.at(position)
  if (found._tag === "None" || found.value.hash !== hash) {
    return yield* otherEvent(`its event at position ${position} is not on this log`)
  }
})

const putInventory = Effect.fnUntraced(function* (
  { id, target: { pieces } }: BackupOptions,
  entries: ReadonlyArray<Inventories.Entry>
) {
  if (entries.length === 0) return []
  const piece = yield* Pieces.putText(pieces, `inventories/${id}`, Inventories.render(entries))
  return [{ ...piece, blobs: entries.length } satisfies Manifest.Inventory]
})

/** A new generation. A log without a file has no base: its segments begin with the first event. */
const begin = Effect.fnUntraced(function* (options: BackupOptions, known: ReadonlyArray<ArchivedSegment>) {
  const { blobs, directory, id, target } = options
  const startedAt = yield* Clock.currentTimeMillis
  if (directory === null) {
    const empty: Manifest.Generation = { startedAt, base: null, segments: [], inventories: [] }
    return yield* extend(options, empty, known)
  }
  const { pieces, scratch } = target
  const taken = yield* Base.take({ directory, scratch, blobs, pieces, id, known })
  const { archive, base, entries, missing } = taken
  const inventories = yield* putInventory(options, entries)
  const generation: Manifest.Generation = {
    startedAt,
    base,
    segments: [],
    inventories,
    ...archivedBy(archive)
  }
  const bytes = bytesOf([base, ...inventories, ...entries, ...archive.copied])
  return { generation, events: base.end.events, bytes, blobs: entries.length, missing }
})

const archivedBy = ({ all }: { readonly all: ReadonlyArray<ArchivedSegment> }) =>
  all.length === 0 ? {} : { archive: all }

const extend = Effect.fnUntraced(function* (
  options: BackupOptions,
  generation: Manifest.Generation,
  known: ReadonlyArray<ArchivedSegment>
) {
  const { anchors, blobs, directory, id, target } = options
  const after = Manifest.endOf(generation)
  yield* checkSame(after)
  const source = yield* EventReader
  const tail = yield* Tail.write({ source, blobs, pieces: target.pieces, after, anchors, id })
  const inventories = yield* putInventory(options, tail.entries)
  const end = tail.end.position
  // A follower has looked in its first call. A request to a bucket for each segment and second would be too much.
  const looks = !options.isContinued
  const archive = yield* ArchivedSegments.copy({ pieces: target.pieces, directory, known, end, looks })
  return {
    generation: {
      ...generation,
      ...archivedBy(archive),
      segments: [...generation.segments, ...tail.segments],
      inventories: [...generation.inventories, ...inventories]
    },
    events: tail.end.events - after.events,
    bytes: bytesOf([...tail.segments, ...inventories, ...tail.entries, ...archive.copied]),
    blobs: tail.entries.length,
    missing: tail.missing
  }
})

/** The generations that stay beside the new or extended one. */
const olderThan = (before: Manifest.Manifest | null, isBase: boolean, keep: number) => {
  const generations = before?.generations ?? []
  if (!isBase) return generations.slice(0, -1)
  return keep === 1 ? [] : generations.slice(1 - keep)
}

/** How long another backup may take to remove blobs from a bucket, ms. After that it counts as interrupted. */
const longestRemoving = 10 * 60 * 1_000

/** In a bucket, another backup may be removing blobs that this one would count on. */
const checkRemoving = Effect.fnUntraced(function* (
  { isExclusive }: BackupTarget,
  before: Manifest.Manifest | null
) {
  if (isExclusive || before?.retired === undefined) return
  const now = yield* Clock.currentTimeMillis
  if (now - before.writtenAt < longestRemoving) return yield* new TargetInUse()
})

/** Takes a backup, and returns what it has then. */
export const take = Effect.fn("Backup.take")(function* (options: BackupOptions) {
  const { directory, isContinued, isFull, keep, target } = options
  const stored = yield* target.readManifest
  if (stored === null && isContinued) return yield* isAway
  const before = stored === null ? null : yield* Manifest.parse(stored.text)
  yield* checkRemoving(target, before)
  yield* Leftovers.remove(target, before)
  const isBase = before === null || isFull
  const known = ArchivedSegments.namedIn(before)
  const taken = yield* isBase ? begin(options, known) : extend(options, Manifest.newest(before), known)
  // A call that finds nothing new writes nothing, so followers may ask every second.
  const generation =
    taken.events === 0 ? taken.generation : yield* Compaction.run(target.pieces, taken.generation, options.id)
  const added = { ...taken, generation }
  const kept = olderThan(before, isBase, keep)
  const { keys, isNew } = yield* InstallationKeys.put(options, before?.keys ?? null)
  const clients = yield* AssistantClients.put(options, before?.oauth ?? null)
  const checkpoints = yield* CopiedCheckpoints.copy({
    pieces: target.pieces,
    directory,
    end: Manifest.endOf(added.generation).position,
    known: before?.checkpoints ?? [],
    id: options.id
  })
  const [first, ...others] = [...kept, added.generation]
  const generations: Manifest.Manifest["generations"] = [first ?? added.generation, ...others]
  const retired = RetiredBlobs.of(before, { generations })
  const manifest: Manifest.Manifest = {
    format: 1,
    release: version,
    data: directory === null ? DataFormat.ours : yield* ReleaseFile.read(directory),
    writtenAt: yield* Clock.currentTimeMillis,
    backend: directory === null ? "nats" : "sqlite",
    generations,
    keys,
    ...(checkpoints.all.length > 0 && { checkpoints: checkpoints.all }),
    oauth: clients.oauth,
    ...(retired.length > 0 && { retired })
  }
  const report: Report = {
    kind: isBase ? "base" : added.events === 0 ? "unchanged" : "increment",
    events: added.events,
    bytes: added.bytes,
    blobs: added.blobs,
    missingBlobs: added.missing,
    removedBlobs: 0,
    end: Manifest.endOf(added.generation),
    hasKeys: keys !== null
  }
  const isSame = !isNew && !clients.isNew && checkpoints.isSame && retired.length === 0
  if (report.kind === "unchanged" && isSame) return report
  const revision = yield* target.writeManifest(Manifest.render(manifest), stored?.revision ?? null)
  // This call may have merged a piece that it wrote, which no manifest names.
  const unmerged = { ...manifest, generations: [taken.generation] as const }
  yield* Leftovers.removeReplaced(target, [before, unmerged], manifest)
  if (retired.length === 0) return report
  const removedBlobs = yield* RetiredBlobs.remove(target.pieces, manifest)
  const { retired: _, ...done } = manifest
  yield* target.writeManifest(Manifest.render(done), revision)
  yield* Leftovers.removeReplaced(target, [manifest], done)
  return { ...report, removedBlobs }
})
