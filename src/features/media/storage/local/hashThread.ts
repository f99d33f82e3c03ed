/** Entry of a hashing thread. Loads only Node's modules, so that it starts fast and stays small. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { parentPort } from "node:worker_threads"
import type { FromThread, ToThread } from "./HashProtocol.ts"

const tell = (message: FromThread) => parentPort?.postMessage(message)

const buffer = Buffer.allocUnsafeSlow(512 * 1024)

const readInto = (
  hash: crypto.Hash,
  { descriptor, from, to }: Extract<ToThread, { readonly _tag: "Read" }>
) => {
  for (let position = from; position < to;) {
    const length = fs.readSync(descriptor, buffer, 0, Math.min(buffer.length, to - position), position)
    if (length === 0) throw new Error("the file is shorter than expected")
    hash.update(buffer.subarray(0, length))
    position += length
  }
}

const jobs = new Map<number, crypto.Hash>()

/** A failed job is reported as ended, and later messages about it are ignored. */
const guarded = (job: number, work: (hash: crypto.Hash) => number) => {
  const hash = jobs.get(job)
  if (hash === undefined) return
  try {
    tell({ _tag: "Hashed", job, bytes: work(hash) })
  } catch {
    end(job, null)
  }
}

const end = (job: number, hex: string | null) => {
  if (jobs.delete(job)) tell({ _tag: "Ended", job, hex })
}

const obey = (message: ToThread) => {
  switch (message._tag) {
    case "Begin":
      return void jobs.set(message.job, crypto.createHash(message.algorithm))
    case "Read":
      return guarded(message.job, (hash) => {
        readInto(hash, message)
        return message.to - message.from
      })
    case "Update":
      return guarded(message.job, (hash) => {
        hash.update(message.bytes)
        return message.bytes.length
      })
    case "Digest":
      return end(message.job, jobs.get(message.job)?.digest("hex") ?? null)
    case "Cancel":
      return end(message.job, null)
  }
}

parentPort?.on("message", obey)
