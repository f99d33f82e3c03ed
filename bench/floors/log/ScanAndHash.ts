/**
 * The floor of T6, verify: reads the log page by page, computes the hash chain of each stream and the running digest, hashes
 * every payload, and lets SQLite check its file.
 */
import * as crypto from "node:crypto"
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import * as Work from "../../rows/log/Work.ts"

const pageSize = 512

const db = new DatabaseSync(String(process.argv[2]), { readOnly: true })

const prepare = (sql: string) => {
  const statement = db.prepare(`${sql} LIMIT ${pageSize}`)
  statement.setReturnArrays(true)
  return statement
}
const events = prepare(`SELECT position, stream, ordinal, id, type, time, data, hash FROM events
  WHERE position > ? ORDER BY position`)
const payloads = prepare(`SELECT rowid, stream, name, salt, hash, size, text, blob FROM payloads
  WHERE rowid > ? ORDER BY rowid`)

type Row = ReadonlyArray<string | number>

/** Reads every row in order and returns their number. */
const scan = (statement: typeof events, each: (row: Row) => void): number => {
  let count = 0
  let last = 0
  for (;;) {
    const rows = statement.all(last) as unknown as ReadonlyArray<Row>
    for (const row of rows) each(row)
    count += rows.length
    last = Number(rows.at(-1)?.[0])
    if (rows.length < pageSize) return count
  }
}

const sha256 = (text: string) => crypto.hash("sha256", text, "base64url")

const assertEqual = (found: string, expected: unknown) => {
  if (found !== expected) throw new Error("The log is broken")
}

const verify = () => {
  const tails = new Map<string, string>()
  let digest = ""
  const count = scan(events, ([, stream, ordinal, id, type, time, data, hash]) => {
    const previous = tails.get(String(stream)) ?? ""
    const found = sha256(`${previous}\n${JSON.stringify([stream, ordinal, id, type, time])}${data}`)
    assertEqual(found, hash)
    tails.set(String(stream), found)
    digest = sha256(`${digest}\n${found}`)
  })
  scan(payloads, ([, , , salt, hash, , text]) => assertEqual(sha256(`${salt}\n${text}`), hash))
  assertEqual(String(Object.values(db.prepare("PRAGMA integrity_check(1)").get() ?? {})[0]), "ok")
  return count
}

Work.serve(() => Work.timed(verify))
