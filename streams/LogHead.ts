/**
 * The file `log.head`: position and running digest of the log's end, beside the database. It is rewritten with each batch
 * and synced at most once a second; it is what tells a lost tail or lost streams from a shorter log.
 *
 * Two slots are written in turn, each a line of its own with a checksum, so that a torn write leaves the other one.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs"

export interface Head {
  /** Sequence number of the last event; 0 for an empty log. */
  readonly sequence: number
  /** See `EventChain.digest`. */
  readonly digest: string
}

export interface LogHead {
  /** Written to the operating system when this returns; `sync` makes it durable. */
  readonly write: (head: Head) => void
  /** Whether something was written since the last `sync`. */
  readonly isDirty: () => boolean
  readonly sync: () => Promise<void>
  readonly close: () => void
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
 * The whole slots, the newest last; none when there is no file, or one whose first write was torn. Throws when both slots
 * are damaged: to go on as if there had been none would hide a lost tail.
 */
export const slots = (filename: string): ReadonlyArray<Head> => {
  if (!fs.existsSync(filename)) return []
  const text = fs.readFileSync(filename, "utf8")
  const whole = text.split("\n").flatMap((line) => decode(line) ?? [])
  if (whole.length === 0 && text.length >= slotBytes) throw new Error(`${filename} is damaged`)
  return whole.sort((a, b) => a.sequence - b.sequence)
}

/** The newest of them. */
export const read = (filename: string): Head | undefined => slots(filename).at(-1)

export const open = (filename: string): LogHead => {
  const newest = read(filename)
  const fd = fs.openSync(filename, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600)
  let slot =
    newest !== undefined &&
    decode(fs.readFileSync(filename, "utf8").split("\n")[0] ?? "")?.sequence === newest.sequence
      ? 1
      : 0
  let dirty = false
  return {
    write: (head) => {
      fs.writeSync(fd, encode(head), slot * slotBytes)
      slot = 1 - slot
      dirty = true
    },
    isDirty: () => dirty,
    sync: () => {
      dirty = false
      return new Promise((resolve, reject) =>
        fs.fdatasync(fd, (error) => {
          if (error === null) return resolve()
          dirty = true
          reject(error)
        })
      )
    },
    close: () => {
      if (dirty) fs.fdatasyncSync(fd)
      fs.closeSync(fd)
    }
  }
}
