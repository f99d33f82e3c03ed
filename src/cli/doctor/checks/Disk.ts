/** Checks of the disk of `DATA_DIR`: how long a commit takes, how much room there is, and what kind it is. */
import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Clock, Effect } from "effect"
import { configured } from "#src/kernel/disk/DataDirectory.ts"
import * as Errno from "#streams/Errno.ts"
import * as Check from "../Check.ts"
import * as Place from "./Place.ts"

/** What a small commit writes, bytes. */
const commitBytes = 8 * 1024

/** How long commits are tried, and the most of them. */
const triedMs = 500
const mostCommits = 1_000

/** Above, ms: every request waits for several commits. */
const slow = { p50: 10, p99: 100 }

/** Above, ms: health reports slow appends, and clients run into their time limits. */
const tooSlow = 250

const temporary = Effect.acquireRelease(
  Effect.gen(function* () {
    const file = path.join(Place.existing(yield* configured), `.doctor-${crypto.randomUUID()}`)
    const handle = yield* Effect.tryPromise({
      try: () => fs.open(file, "wx", 0o600),
      catch: (error) => error
    })
    return { file, handle }
  }),
  ({ file, handle }) =>
    Effect.promise(async () => {
      await handle.close().catch(() => {})
      await fs.rm(file, { force: true }).catch(() => {})
    })
)

/** The times of single commits in ms, ascending. */
const commits = Effect.gen(function* () {
  const { handle } = yield* temporary
  const block = crypto.randomBytes(commitBytes)
  const begun = yield* Clock.monotonicTimeNanos
  const times: Array<number> = []
  let last = begun
  while (times.length < mostCommits && Number(last - begun) < triedMs * 1e6) {
    yield* Effect.tryPromise({
      try: () =>
        handle.write(block, 0, commitBytes, times.length * commitBytes).then(() => handle.datasync()),
      catch: (error) => error
    })
    const now = yield* Clock.monotonicTimeNanos
    times.push(Number(now - last) / 1e6)
    last = now
  }
  return times.sort((a, b) => a - b)
}).pipe(Effect.scoped)

const quantile = (sorted: ReadonlyArray<number>, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0

const shown = (millis: number) => `${millis < 10 ? millis.toFixed(2) : Math.round(millis)} ms`

const faster = "Use a local SSD or NVMe volume, and look for other programs that write to the disk"

/** Exported for its thresholds. @param times of commits in ms, ascending. */
export const judge = (times: ReadonlyArray<number>): Check.Verdict => {
  const p50 = quantile(times, 0.5)
  const p99 = quantile(times, 0.99)
  const detail = `A commit takes ${shown(p50)} (p50), ${shown(p99)} (p99) of ${times.length} tried`
  if (p50 > tooSlow) return Check.failed(detail, faster)
  return p50 > slow.p50 || p99 > slow.p99 ? Check.warning(detail, faster) : Check.ok(detail)
}

const unwritable = (error: unknown): Check.Verdict => {
  const name = Errno.nameOf(error) ?? "an unknown error"
  const isFull = name === "ENOSPC" || name === "EDQUOT"
  return Check.failed(
    `A file cannot be written and synced in DATA_DIR: ${name}`,
    isFull
      ? "Make room, or raise the quota"
      : "Let the user of the server write there; is the disk read-only?"
  )
}

export const speed: Check.Check = {
  name: "disk-speed",
  look: commits.pipe(
    Effect.map(judge),
    Effect.catch((error) =>
      Errno.nameOf(error) === undefined ? Effect.fail(error) : Effect.succeed(unwritable(error))
    )
  )
}

const statfs = Effect.flatMap(configured, (wanted) =>
  Effect.tryPromise({ try: () => fs.statfs(Place.existing(wanted)), catch: (error) => error })
)

const mebibyte = 1024 * 1024
const gibibyte = 1024 * mebibyte

/** Less than this, bytes: the server may stop for want of room soon. */
const scarce = 5 * gibibyte
const tooScarce = 256 * mebibyte

/** Fewer than this part of inodes. */
const scarceInodes = 0.02

const room: Check.Check = {
  name: "disk-space",
  look: Effect.map(statfs, ({ bavail, bsize, ffree, files }) => {
    const free = bavail * bsize
    const detail = `${(free / gibibyte).toFixed(1)} GiB are free`
    const remedy = "Make room or enlarge the volume: a full disk stops all writes"
    if (files > 0 && ffree / files < scarceInodes)
      return Check.warning(`${detail}, but few inodes are`, "Remove small files, or enlarge the volume")
    if (free < tooScarce) return Check.failed(detail, remedy)
    return free < scarce ? Check.warning(detail, remedy) : Check.ok(detail)
  })
}

/** Types of file systems on Linux (statfs(2)). */
const network = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x65735546, "FUSE"],
  [0x01021997, "9p"],
  [0x5346414f, "AFS"],
  [0x00c36400, "CephFS"],
  [0x0bd00bd0, "Lustre"]
])
const fleeting = new Map([
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
  [0x794c7630, "overlay"]
])

/** Exported for the types that a test machine does not have. @param type as in statfs(2) on Linux. */
export const kindOf = (type: number): Check.Verdict => {
  const remote = network.get(type)
  if (remote !== undefined) {
    return Check.warning(
      `DATA_DIR is on ${remote}: SQLite needs locks and shared memory of one machine, and syncs that are true`,
      "Use a local disk or a block volume; put files of several nodes in S3 (BLOB_STORE)"
    )
  }
  const lost = fleeting.get(type)
  if (lost === undefined) return Check.ok("DATA_DIR is on a local file system")
  return Check.warning(
    `DATA_DIR is on ${lost}, which is lost with ${lost === "overlay" ? "the container" : "a restart"}`,
    "Use a disk, or a volume of the container, for DATA_DIR"
  )
}

const kind: Check.Check = {
  name: "file-system",
  look:
    process.platform === "linux"
      ? Effect.map(statfs, ({ type }) => kindOf(type))
      : Effect.succeed(Check.skipped("Only known on Linux"))
}

export const checks = [speed, room, kind]
