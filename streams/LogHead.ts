/**
 * The file `log.head`: position and running digest of the log's end, beside the database. It reveals a lost tail or lost
 * streams. It is written with each batch and synced at most once a second. Two slots, lines with a checksum, are
 * written alternately, so that a torn write leaves the other one.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { syncDirectory } from "./DirectorySync.ts"

export interface Head {
  /** Sequence number of the last event. 0 for an empty log. */
  readonly sequence: number
  /** See `EventChain.digest`. */
  readonly digest: string
}

export interface LogHead {
  /** Hands the head to the operating system; `sync` makes it durable. */
  readonly write: (head: Head) => void
  /** Whether there are writes since the last `sync`. */
  readonly isDirty: () => boolean
  readonly sync: () => Promise<void>
  readonly close: () => void
}

/** The file has no intact slot. */
export class Damaged extends Error {
  constructor(filename: string) {
    super(`${filename} is damaged`)
  }
}

const slotBytes = 128

const checksum = (text: string) => crypto.hash("sha256", text, "base64url").slice(0, 16)

const encode = ({ sequence, digest }: Head): string => {
  const body = `${sequence} ${digest === "" ? "-" : digest}`
  return `${body} ${checksum(body)}`.padEnd(slotBytes - 1) + "\n"
}

const decode = (line: string): Head | undefined => {
  const [sequence, digest, sum, ...rest] = line.trim().split(" ")
  if (sequence === undefined || digest === undefined || rest.length > 0) return undefined
  if (!/^\d+$/.test(sequence) || sum !== checksum(`${sequence} ${digest}`)) return undefined
  return { sequence: Number(sequence), digest: digest === "-" ? "" : digest }
}

/**
 * The intact slots, newest last. Empty when the file does not exist. Throws `Damaged` when the file has no intact slot, even
 * when it is empty: treating it as missing would hide a lost tail.
 */
export const slots = (filename: string): ReadonlyArray<Head> => {
  if (!fs.existsSync(filename)) return []
  const text = fs.readFileSync(filename, "utf8")
  const intact = text.split("\n").flatMap((line) => decode(line) ?? [])
  if (intact.length === 0) throw new Damaged(filename)
  return intact.sort((a, b) => a.sequence - b.sequence)
}

/** The newest intact slot. */
export const read = (filename: string): Head | undefined => slots(filename).at(-1)

/**
 * Written and synced under another name first, so that a crash leaves no file or a complete one, and an empty file means
 * damage.
 */
const create = (filename: string, head: Head): void => {
  const draft = `${filename}.new`
  fs.writeFileSync(draft, encode(head), { mode: 0o600, flush: true })
  fs.renameSync(draft, filename)
  syncDirectory(path.dirname(filename))
}

/** The slot that does not have the newest head. */
const olderSlot = (filename: string): 0 | 1 => {
  const newest = read(filename)
  const first = decode(fs.readFileSync(filename, "utf8").split("\n")[0] ?? "")
  return first?.sequence === newest?.sequence ? 1 : 0
}

/** The first `write` creates a missing file. */
export const open = (filename: string): LogHead => {
  let slot: 0 | 1 = 1
  let fd: number | undefined
  const openFile = () => (fd = fs.openSync(filename, fs.constants.O_RDWR))
  if (fs.existsSync(filename)) {
    slot = olderSlot(filename)
    openFile()
  }
  let dirty = false
  return {
    write: (head) => {
      if (fd === undefined) {
        create(filename, head)
        openFile()
        return
      }
      try {
        fs.writeSync(fd, encode(head), slot * slotBytes)
      } catch (cause) {
        // Node adds the path to errors only when it opens the file.
        throw cause instanceof Error ? Object.assign(cause, { path: filename }) : cause
      }
      slot = slot === 0 ? 1 : 0
      dirty = true
    },
    isDirty: () => dirty,
    sync: () => {
      if (fd === undefined) return Promise.resolve()
      const file = fd
      dirty = false
      return new Promise((resolve, reject) =>
        fs.fdatasync(file, (error) => {
          if (error === null) return resolve()
          dirty = true
          reject(error)
        })
      )
    },
    close: () => {
      if (fd === undefined) return
      if (dirty) fs.fdatasyncSync(fd)
      fs.closeSync(fd)
    }
  }
}
