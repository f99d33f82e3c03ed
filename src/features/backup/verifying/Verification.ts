/**
 * Verifies a whole backup without restoring it: the hash of each piece and blob, and for each generation the chain, the
 * payloads and the digests of the log that it makes. Reports everything that is wrong.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Layer, type Redacted, Result } from "effect"
import { BlobStore } from "#streams/BlobStore.ts"
import { Payloads } from "#streams/Payload.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as SqliteVerify from "#streams/sqlite/SqliteVerify.ts"
import * as BackupBlobs from "../BackupBlobs.ts"
import { BackupDamaged, NoSuchBackup } from "../BackupError.ts"
import * as Manifest from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"
import * as SealedKeys from "../keys/SealedKeys.ts"
import * as RestoredLog from "../restoring/RestoredLog.ts"
import type { BackupTarget } from "../target/BackupTarget.ts"
import * as Findings from "./Findings.ts"
import * as VerifiedBlobs from "./VerifiedBlobs.ts"

export interface VerificationOptions {
  readonly source: Pick<BackupTarget, "name" | "pieces" | "readManifest">
  /** A folder with room for the largest log of the backup. It exists. */
  readonly scratch: string
  /** Opens the sealed key, too; `null`: only its hash is compared. */
  readonly passphrase: Redacted.Redacted<string> | null
}

/** A backup that goes on meanwhile merges pieces, and so removes those of the manifest that was read. */
const tries = 5

const piecesOf = ({
  archive = [],
  base,
  inventories,
  segments
}: Manifest.Generation): ReadonlyArray<Manifest.Piece> => [
  ...(base === null ? [] : [base]),
  ...segments,
  ...inventories,
  ...archive
]

/** Builds the log of a generation, and verifies it. */
const verifyLog = Effect.fnUntraced(function* (
  { scratch, source: { pieces } }: VerificationOptions,
  manifest: Manifest.Manifest,
  generation: Manifest.Generation
) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(scratch, "log-"))),
    (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
  )
  const { log } = LogFiles.files(folder)
  const { end } = yield* RestoredLog.write({
    pieces,
    manifest: { ...manifest, generations: [generation] },
    generation,
    until: { _tag: "End" },
    filename: log,
    keepsCommits: false
  })
  const payloads = Payloads.layer.pipe(
    Layer.provide(Layer.succeed(BlobStore, BackupBlobs.reading(pieces))),
    Layer.provideMerge(SqliteEventReader.layer({ filename: log }))
  )
  const verified = yield* Effect.provide(SqliteVerify.verifyDirectory(folder), payloads)
  const wanted = Manifest.endOf(generation)
  if (verified.events !== wanted.events || (wanted.events > 0 && end.digest !== wanted.digest)) {
    const reason = `does not lead to the end that the manifest names, position ${wanted.position}`
    return yield* new BackupDamaged({ piece: generation.segments.at(-1)?.key ?? "manifest.json", reason })
  }
  return verified
}, Effect.scoped)

const verifyKeys = Effect.fnUntraced(function* (
  { passphrase, source: { pieces } }: VerificationOptions,
  keys: Manifest.Keys
) {
  const text = (yield* Pieces.read(pieces, keys)).toString()
  if (passphrase !== null) yield* SealedKeys.open(text, passphrase)
})

/** Returns what is there and what is wrong, by the manifest of this moment. */
const verifyOnce = Effect.fnUntraced(function* (
  options: VerificationOptions,
  manifest: Manifest.Manifest,
  findings: Findings.Findings
) {
  const { pieces } = options.source
  const { checkpoints = [], keys, oauth } = manifest
  if (keys !== null) yield* findings.collect(keys.key, verifyKeys(options, keys))
  if (oauth !== null) yield* findings.once(oauth, Pieces.check(pieces, oauth))
  for (const checkpoint of checkpoints) yield* findings.once(checkpoint, Pieces.check(pieces, checkpoint))
  const logs = yield* Effect.forEach(
    manifest.generations,
    Effect.fnUntraced(function* (generation) {
      const before = findings.count()
      yield* Effect.forEach(piecesOf(generation), (piece) =>
        findings.once(piece, Pieces.check(pieces, piece))
      )
      if (findings.count() === before) yield* VerifiedBlobs.verify(pieces, generation, findings)
      // Damaged pieces or blobs make no log.
      const { position } = Manifest.endOf(generation)
      const isWhole = findings.count() === before
      const verified = isWhole
        ? yield* findings.collect(
            `the log up to position ${position}`,
            verifyLog(options, manifest, generation)
          )
        : null
      const { base } = generation
      return {
        base: base === null ? null : base.end.position,
        position,
        digest: Manifest.endOf(generation).digest,
        events: verified?.events ?? null,
        payloads: verified?.payloads ?? null
      }
    })
  )
  return logs
})

export const run = Effect.fn("Verification.run")(function* (options: VerificationOptions) {
  const { source } = options
  const read = Effect.gen(function* () {
    const stored = yield* source.readManifest
    if (stored === null) return yield* new NoSuchBackup({ reason: `${source.name} contains no backup` })
    return stored
  })
  const attempt = Effect.gen(function* () {
    const { revision, text } = yield* read
    const findings = Findings.make()
    const manifest = yield* Effect.result(Manifest.parse(text))
    if (Result.isFailure(manifest)) {
      if (manifest.failure._tag === "NoSuchBackup") return yield* manifest.failure
      yield* findings.collect("manifest.json", Effect.fail(manifest.failure))
      return { isOld: false, logs: [], writtenAt: null, ...findings.report() }
    }
    const logs = yield* verifyOnce(options, manifest.success, findings)
    const report = findings.report()
    const isOld = report.damaged.length > 0 && (yield* read).revision !== revision
    return { isOld, logs, writtenAt: manifest.success.writtenAt, ...report }
  })
  const { isOld: _, ...report } = yield* Effect.repeat(attempt, {
    until: ({ isOld }) => !isOld,
    times: tries - 1
  })
  return report
})

export type Report = Effect.Success<ReturnType<typeof run>>
